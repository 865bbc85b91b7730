// Command tally keeps invoices.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"example.org/tally/internal/invoice"
	"example.org/tally/internal/worker"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "tally:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("a command is needed: list, due, remind")
	}
	store, err := invoice.Open(os.Getenv("TALLY_DB"))
	if err != nil {
		return err
	}
	defer store.Close()
	switch args[0] {
	case "list":
		return list(ctx, store)
	case "due":
		return due(ctx, store, time.Now().AddDate(0, 0, 7))
	case "remind":
		return remind(ctx, store)
	}
	return fmt.Errorf("there is no command %q", args[0])
}

func list(ctx context.Context, store *invoice.Store) error {
	invoices, err := store.Open(ctx)
	if err != nil {
		return err
	}
	for _, i := range invoices {
		fmt.Println(i)
	}
	return nil
}

func due(ctx context.Context, store *invoice.Store, until time.Time) error {
	invoices, err := store.DueBefore(ctx, until)
	if err != nil {
		return err
	}
	for _, i := range invoices {
		fmt.Println(i)
	}
	return nil
}

func remind(ctx context.Context, store *invoice.Store) error {
	invoices, err := store.DueBefore(ctx, time.Now())
	if err != nil {
		return err
	}
	pool := worker.New(4)
	for _, i := range invoices {
		pool.Submit(func(ctx context.Context) error { return invoice.Remind(ctx, i) })
	}
	return pool.Wait(ctx)
}
