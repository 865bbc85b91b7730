// Package invoice holds invoices and their store.
package invoice

import (
	"context"
	"fmt"
	"time"
)

// Invoice is one invoice; Cents is its amount.
type Invoice struct {
	ID       int64
	Customer string
	Note     string
	Cents    int64
	Due      time.Time
	Paid     bool
}

func (i Invoice) String() string {
	return fmt.Sprintf("%6d  %-30s %10.2f  %s", i.ID, i.Customer, float64(i.Cents)/100, i.Due.Format(time.DateOnly))
}

// Overdue reports whether the invoice is unpaid after its day.
func (i Invoice) Overdue(now time.Time) bool {
	return !i.Paid && now.After(i.Due)
}

// Remind writes the reminder of one invoice.
func Remind(ctx context.Context, i Invoice) error {
	if i.Paid {
		return fmt.Errorf("invoice %d is paid", i.ID)
	}
	return deliver(ctx, i.Customer, fmt.Sprintf("Invoice %d over %.2f is due.", i.ID, float64(i.Cents)/100))
}
