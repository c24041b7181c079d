package main

import (
	"time"

	"github.com/spf13/cobra"

	"bed/internal/credentials"
)

// certificatesCommand makes ca, server and client certificates in a folder, for tests of TLS that need no cluster, or for a cluster that
// is to start with just these.
func certificatesCommand() *cobra.Command {
	var dir string
	var valid time.Duration
	cmd := &cobra.Command{Use: "certificates", Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error {
		authority, err := credentials.Open(dir)
		if err != nil {
			return err
		}
		if err := authority.Serving("server", valid); err != nil {
			return err
		}
		_, err = authority.Client("admin", []string{"system:masters"}, "")
		return err
	}}
	cmd.Flags().StringVar(&dir, "dir", "", "folder to write ca.crt, server.crt, client-admin.crt and their keys to")
	cmd.Flags().DurationVar(&valid, "serving-for", 365*24*time.Hour, "how long the server's certificate is good; negative: it has run out")
	return cmd
}
