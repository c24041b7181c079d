package supervisor

import (
	"context"
	"errors"
	"os"
	"sync"
)

// Alone runs one body of work in this process, under the same rules: `ready` tells it in a line of JSON (once), each line of stdin is
// answered by a line of JSON, and it ends when stdin closes or a signal comes.
func Alone(body func(ctx context.Context, ready func(any)) error, obey func(line string) (any, error)) {
	s := New()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	var once sync.Once
	go func() { done <- body(ctx, func(value any) { once.Do(func() { Say(value) }) }) }()
	err := s.listen(done, obey)
	cancel()
	if errors.Is(err, ErrEnd) {
		err = <-done
	}
	if err != nil {
		Say(map[string]string{"error": err.Error()})
		os.Exit(1)
	}
}

func (s *Supervisor) listen(done <-chan error, obey func(line string) (any, error)) error {
	for {
		select {
		case err := <-done:
			return err
		case <-s.signals:
			return ErrEnd
		case line, open := <-s.lines:
			if !open {
				return ErrEnd
			}
			if answer, err := obey(line); err != nil {
				Say(map[string]string{"error": err.Error()})
			} else {
				Say(answer)
			}
		}
	}
}
