package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"bed/internal/child"
)

// withMountsCommand binds folders and files over others and then becomes the sub-command that follows. The supervisor starts it in a
// mount namespace of its own, so that the mounts, and whatever the sub-command mounts, go with the process.
func withMountsCommand() *cobra.Command {
	var binds []string
	cmd := &cobra.Command{Use: "with-mounts [--bind FROM:TO]... -- COMMAND [FLAGS]", Hidden: true, RunE: func(_ *cobra.Command, args []string) error {
		for _, bind := range binds {
			from, to, _ := strings.Cut(bind, ":")
			if err := bindOver(from, to); err != nil {
				return fmt.Errorf("binding %s over %s: %w", from, to, err)
			}
		}
		program, err := os.Readlink(child.Program)
		if err != nil {
			return err
		}
		return syscall.Exec(program, append([]string{program}, args...), os.Environ())
	}}
	cmd.Flags().StringArrayVar(&binds, "bind", nil, "a folder or file and what to bind it over, as FROM:TO; a missing folder TO is made")
	return cmd
}

func bindOver(from, to string) error {
	if _, err := os.Stat(to); errors.Is(err, os.ErrNotExist) {
		if err := os.MkdirAll(to, 0o755); err != nil {
			return err
		}
	}
	return unix.Mount(from, to, "", unix.MS_BIND, "")
}
