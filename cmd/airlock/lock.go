package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-2ea642bd/airlock/internal/config"
	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// lockCommand prints the lock of the embedded Lenses.
func lockCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "lock",
		Short: "Print roles/lock.json anew: the digests of what the embedded Lenses rest on",
		Long: "A Lens is a Role whose verdict gates. Its inputs (manifest, prompt, engine pin, budgets) are held by roles/lock.json, so\n" +
			"that a change to one is seen as a change to that file too. A test holds the file equal to what this prints.",
		Example: "  airlock lock > roles/lock.json",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			names, err := config.EmbeddedRoles()
			if err != nil {
				return err
			}
			var configs []config.Config
			for _, name := range names {
				loaded, err := config.Load(command.Context(), nil, name)
				if err != nil {
					return fmt.Errorf("the role %s: %w", name, err)
				}
				configs = append(configs, loaded)
			}
			lock, err := config.LockOf(configs...)
			if err != nil {
				return err
			}
			data, err := contract.Canonical(lock)
			if err != nil {
				return err
			}
			_, err = command.OutOrStdout().Write(data)
			return err
		},
	}
}
