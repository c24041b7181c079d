// Package child starts processes that cannot outlive their parent, each in a process group of its own and with a log of its own.
package child

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// Program is this binary, which holds every component.
const Program = "/proc/self/exe"

// Spec says what to start.
type Spec struct {
	Name string   // what people call it, and the name of its log
	Args []string // sub-command of this binary and its flags
	Dir  string   // working directory
	Logs string   // folder of the log
	// Mounts gives the process a mount namespace of its own, in which nothing is shared with the outside.
	Mounts bool
}

// Child is a started process.
type Child struct {
	Name string
	Log  string
	// Exited is closed when the process is gone.
	Exited chan struct{}
	cmd    *exec.Cmd
}

// Start must be called on a locked thread that lives as long as the process does: the kernel ends a child when the *thread* that
// started it ends.
func Start(spec Spec) (*Child, error) {
	path := filepath.Join(spec.Logs, spec.Name+".log")
	log, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	program, err := os.Readlink(Program)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program, spec.Args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = spec.Dir, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if spec.Mounts {
		// The runtime makes the new namespace's mounts private before anything else runs in it.
		cmd.SysProcAttr.Unshareflags = syscall.CLONE_NEWNS
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", spec.Name, err)
	}
	c := &Child{Name: spec.Name, Log: path, Exited: make(chan struct{}), cmd: cmd}
	go func() {
		// How it ended is told by its log; a component that is ended on purpose always "fails".
		_ = cmd.Wait()
		close(c.Exited)
	}()
	return c, nil
}

// PID is the process id.
func (c *Child) PID() int { return c.cmd.Process.Pid }

// Kill ends the process and what it started, and waits until it is gone.
func (c *Child) Kill() {
	select {
	case <-c.Exited: // its id may be another process's by now
		return
	default:
	}
	// The only error is that it is gone already.
	_ = syscall.Kill(-c.PID(), syscall.SIGKILL)
	<-c.Exited
}

// Tail gives the last lines of the log.
func (c *Child) Tail(lines int) string {
	text, err := os.ReadFile(c.Log)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(string(bytes.TrimSpace(text)), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
