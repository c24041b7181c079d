// Package supervisor holds a set of processes together: it tells in one line of JSON that they are ready, obeys the lines it gets on
// stdin, and ends all of them when stdin closes, when it gets a signal, or when one of them dies.
package supervisor

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"bed/internal/child"
)

// ErrEnd is what Wait and Obey give when it is time to go.
var ErrEnd = errors.New("asked to end")

// Supervisor holds the processes. Use it from one goroutine, on a locked thread.
type Supervisor struct {
	children []*child.Child
	specs    map[string]child.Spec
	died     chan *child.Child
	killed   map[*child.Child]bool
	lines    chan string
	signals  chan os.Signal
}

// New begins to listen on stdin and for signals.
func New() *Supervisor {
	s := &Supervisor{
		specs:   map[string]child.Spec{},
		died:    make(chan *child.Child, 16),
		killed:  map[*child.Child]bool{},
		lines:   make(chan string),
		signals: make(chan os.Signal, 1),
	}
	signal.Notify(s.signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	go func() {
		defer close(s.lines)
		for scanner := bufio.NewScanner(os.Stdin); scanner.Scan(); {
			s.lines <- scanner.Text()
		}
	}()
	return s
}

// Start starts a process and watches it.
func (s *Supervisor) Start(spec child.Spec) error {
	c, err := child.Start(spec)
	if err != nil {
		return err
	}
	s.specs[spec.Name] = spec
	s.children = append(s.children, c)
	go func() {
		<-c.Exited
		s.died <- c
	}()
	return nil
}

// Stop ends one process by name.
func (s *Supervisor) Stop(name string) error {
	for i, c := range s.children {
		if c.Name == name {
			s.killed[c] = true
			c.Kill()
			s.children = append(s.children[:i], s.children[i+1:]...)
			return nil
		}
	}
	return fmt.Errorf("%s does not run", name)
}

// End ends every process, the last started first.
func (s *Supervisor) End() {
	for i := len(s.children) - 1; i >= 0; i-- {
		s.killed[s.children[i]] = true
		s.children[i].Kill()
	}
	s.children = nil
}

// Wait polls until ready says true; a process that dies meanwhile, the limit, and the wish to end are errors.
func (s *Supervisor) Wait(what string, limit time.Duration, ready func() bool) error {
	for deadline := time.Now().Add(limit); !ready(); {
		if time.Now().After(deadline) {
			return fmt.Errorf("%s: not within %s\n%s", what, limit, s.tails())
		}
		select {
		case c := <-s.died:
			if err := s.death(c); err != nil {
				return err
			}
		case <-s.signals:
			return ErrEnd
		case _, open := <-s.lines:
			if !open {
				return ErrEnd
			}
		case <-time.After(25 * time.Millisecond):
		}
	}
	return nil
}

// Obey does what stdin says until it closes: `stop NAME`, `start NAME`, `restart NAME`. Each line is answered by a line of JSON.
// `ready` is called after a start.
func (s *Supervisor) Obey(ready func(name string) error) error {
	for {
		select {
		case c := <-s.died:
			if err := s.death(c); err != nil {
				return err
			}
		case <-s.signals:
			return ErrEnd
		case line, open := <-s.lines:
			if !open {
				return ErrEnd
			}
			if err := s.command(line, ready); err != nil {
				Say(map[string]string{"error": err.Error()})
			} else {
				Say(s.Processes())
			}
		}
	}
}

func (s *Supervisor) command(line string, ready func(name string) error) error {
	verb, name, _ := strings.Cut(strings.TrimSpace(line), " ")
	spec, known := s.specs[name]
	if !known {
		return fmt.Errorf("%q: no process of that name", name)
	}
	switch verb {
	case "stop":
		return s.Stop(name)
	case "restart":
		if err := s.Stop(name); err != nil {
			return err
		}
		fallthrough
	case "start":
		if err := s.Start(spec); err != nil {
			return err
		}
		return ready(name)
	}
	return fmt.Errorf("%q: not one of start, stop, restart", verb)
}

// death is an error, unless it was wanted.
func (s *Supervisor) death(c *child.Child) error {
	if s.killed[c] {
		return nil
	}
	return fmt.Errorf("%s died; the end of its log:\n%s", c.Name, c.Tail(20))
}

func (s *Supervisor) tails() string {
	var text strings.Builder
	for _, c := range s.children {
		fmt.Fprintf(&text, "--- %s\n%s\n", c.Name, c.Tail(5))
	}
	return text.String()
}

// Process is what others may know of a process.
type Process struct {
	PID int    `json:"pid"`
	Log string `json:"log"`
}

// Processes are those that run, by name.
func (s *Supervisor) Processes() map[string]Process {
	all := map[string]Process{}
	for _, c := range s.children {
		all[c.Name] = Process{PID: c.PID(), Log: c.Log}
	}
	return all
}

// Say writes one line of JSON to stdout.
func Say(value any) {
	if err := json.NewEncoder(os.Stdout).Encode(value); err != nil {
		fmt.Fprintln(os.Stderr, "stdout:", err)
	}
}

// Run runs body, ends what it started, and turns its error into one line of JSON and an exit status.
func Run(body func(s *Supervisor) error) {
	s := New()
	err := body(s)
	s.End()
	if err != nil && !errors.Is(err, ErrEnd) {
		Say(map[string]string{"error": err.Error()})
		os.Exit(1)
	}
}
