// Command tally keeps invoices.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"example.org/tally/internal/export"
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
		return fmt.Errorf("a command is needed: list, due, remind, export, archive")
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
	case "export":
		return exportOpen(ctx, store)
	case "archive":
		return archive(ctx, store, args[1:])
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

func exportOpen(ctx context.Context, store *invoice.Store) error {
	invoices, err := store.Open(ctx)
	if err != nil {
		return err
	}
	return export.Write(os.Stdout, invoices)
}

func archive(ctx context.Context, store *invoice.Store, args []string) error {
	folder := "archive"
	if len(args) > 0 {
		folder = args[0]
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	path, err := export.Archive(ctx, store, folder, time.Now().AddDate(-1, 0, 0))
	if err != nil {
		return err
	}
	fmt.Println("archived to", path)
	return export.Prune(folder, 10, time.Now())
}
