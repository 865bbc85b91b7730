package main

import (
	"fmt"
	"net"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-2ea642bd/airlock/internal/emulator"
)

// maxSeedFile bounds a seed file, in bytes.
const maxSeedFile = 64 << 20

// emulateCommand serves an emulated GitHub.
func emulateCommand() *cobra.Command {
	var listen, seedFile string
	var listFaults, asJSON bool
	command := &cobra.Command{
		Use:   "emulate --listen ADDRESS --seed FILE",
		Short: "Serve an emulated GitHub: REST, GraphQL, artifacts, and its state at /_emulator/state",
		Long: "Serves the operations that airlock needs, from a seed: a JSON file with a repository, its people, Apps and pull requests.\n" +
			"It checks tokens, permissions, request fields and anchors, and keeps state in memory until it is interrupted. The\n" +
			"first line it prints is its address. GET /_emulator/state shows the state and every call; POST /_emulator/faults\n" +
			"makes a call fail in one of the ways that --faults lists.",
		Example: "  airlock demo --out kept                     keeps a seed, kept/seed.json\n" +
			"  airlock emulate --seed kept/seed.json\n" +
			"  airlock emulate --listen 127.0.0.1:8080 --seed kept/seed.json\n" +
			"  airlock emulate --faults",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if listFaults && asJSON {
				return encodeIndented(command.OutOrStdout(), emulator.Kinds())
			}
			if listFaults {
				for _, kind := range emulator.Kinds() {
					fmt.Fprintf(command.OutOrStdout(), "%-28s %s\n", kind.Name, kind.Doc)
				}
				return nil
			}
			if asJSON {
				return usage("emulate: --json goes with --faults")
			}
			if seedFile == "" {
				return usage("emulate: --seed is needed: a JSON file with the state to start from; airlock demo --out DIR keeps one, DIR/seed.json")
			}
			document, err := readFile(seedFile, maxSeedFile)
			if err != nil {
				return badSeed(seedFile, err)
			}
			seed, err := emulator.ReadSeed(document)
			if err != nil {
				return badSeed(seedFile, err)
			}
			server, err := emulator.New(seed, emulator.Options{Now: time.Now})
			if err != nil {
				return badSeed(seedFile, err)
			}
			listener, err := net.Listen("tcp", listen)
			if err != nil {
				return usage("emulate: --listen: %w; port 0 takes a free one", err)
			}
			fmt.Fprintf(command.OutOrStdout(), "http://%s\n", listener.Addr())
			return server.Serve(command.Context(), listener)
		},
	}
	command.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "the address to serve on; port 0 takes a free one, which is printed")
	command.Flags().StringVar(&seedFile, "seed", "", "the state to start from")
	command.Flags().BoolVar(&listFaults, "faults", false, "list the kinds of faults and end")
	command.Flags().BoolVar(&asJSON, "json", false, "with --faults: print a JSON array")
	return command
}

// badSeed is a seed that cannot be used.
func badSeed(file string, cause error) error {
	return &exitError{exitUsage, fmt.Errorf("emulate: %s: %w; its form is that of emulator.Seed, of which airlock demo --out DIR keeps an example", file, cause)}
}
