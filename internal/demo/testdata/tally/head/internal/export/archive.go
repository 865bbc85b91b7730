package export

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"example.org/tally/internal/invoice"
)

// Store is what the archive needs of the invoice store.
type Store interface {
	PaidBefore(ctx context.Context, day time.Time) ([]invoice.Invoice, error)
	Delete(ctx context.Context, ids []int64) error
}

// ErrNothingToDo says that there was no invoice old enough.
var ErrNothingToDo = errors.New("no invoice is old enough to archive")

// Archive moves the invoices that were paid before a day out of the store into one file of the folder, and returns its path.
func Archive(ctx context.Context, store Store, folder string, day time.Time) (string, error) {
	invoices, err := store.PaidBefore(ctx, day)
	if err != nil {
		return "", fmt.Errorf("read the paid invoices: %w", err)
	}
	if len(invoices) == 0 {
		return "", ErrNothingToDo
	}
	path := filepath.Join(folder, "invoices-"+day.Format(time.DateOnly)+".csv")
	file, err := os.Create(path)
	if err != nil {
		return "", fmt.Errorf("create the archive: %w", err)
	}
	defer file.Close()
	buffer := bufio.NewWriterSize(file, 1<<20)
	if err := Write(buffer, invoices); err != nil {
		return "", fmt.Errorf("write the archive: %w", err)
	}
	ids := make([]int64, len(invoices))
	for n, i := range invoices {
		ids[n] = i.ID
	}
	if err := store.Delete(ctx, ids); err != nil {
		return "", fmt.Errorf("remove what was archived: %w", err)
	}
	return path, buffer.Flush()
}

// Prune removes archives older than the given number of years.
func Prune(folder string, years int, now time.Time) error {
	paths, err := filepath.Glob(filepath.Join(folder, "invoices-*.csv"))
	if err != nil {
		return err
	}
	var failures []error
	for _, path := range paths {
		written, err := time.Parse("invoices-2006-01-02.csv", filepath.Base(path))
		if err != nil {
			continue
		}
		if written.AddDate(years, 0, 0).Before(now) {
			failures = append(failures, os.Remove(path))
		}
	}
	return errors.Join(failures...)
}
