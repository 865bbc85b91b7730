package main

import (
	"fmt"
	"net"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-2ea642bd/airlock/internal/emulator"
)

// emulateCommand serves an emulated GitHub.
func emulateCommand() *cobra.Command {
	var listen, seedFile string
	var listFaults bool
	command := &cobra.Command{
		Use:   "emulate --listen ADDRESS --seed FILE",
		Short: "Serve an emulated GitHub: REST, GraphQL, artifacts, and its state at /_emulator/state",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if listFaults {
				for _, kind := range emulator.Kinds() {
					fmt.Fprintf(command.OutOrStdout(), "%-28s %s\n", kind.Name, kind.Doc)
				}
				return nil
			}
			if seedFile == "" {
				return &exitError{exitUsage, fmt.Errorf("usage: --seed is needed: a JSON file with the state to start from")}
			}
			document, err := os.ReadFile(seedFile)
			if err != nil {
				return &exitError{exitUsage, fmt.Errorf("read the seed: %w", err)}
			}
			seed, err := emulator.ReadSeed(document)
			if err != nil {
				return &exitError{exitUsage, fmt.Errorf("%s: %w", seedFile, err)}
			}
			server, err := emulator.New(seed, emulator.Options{Now: time.Now})
			if err != nil {
				return &exitError{exitUsage, fmt.Errorf("%s: %w", seedFile, err)}
			}
			listener, err := net.Listen("tcp", listen)
			if err != nil {
				return &exitError{exitUsage, fmt.Errorf("listen: %w", err)}
			}
			fmt.Fprintf(command.OutOrStdout(), "http://%s\n", listener.Addr())
			return server.Serve(command.Context(), listener)
		},
	}
	command.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "the address to serve on; port 0 takes a free one, which is printed")
	command.Flags().StringVar(&seedFile, "seed", "", "the state to start from")
	command.Flags().BoolVar(&listFaults, "faults", false, "list the kinds of faults and end")
	return command
}
