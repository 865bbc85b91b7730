// Package export writes invoices to files that other programs read.
package export

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"time"

	"example.org/tally/internal/invoice"
)

// Column is one column of the table: its heading, and how it reads an invoice.
type Column struct {
	Heading string
	Value   func(invoice.Invoice) string
}

// Columns returns the columns in the order the accountant's program expects.
func Columns() []Column {
	return []Column{
		{"number", func(i invoice.Invoice) string { return strconv.FormatInt(i.ID, 10) }},
		{"customer", func(i invoice.Invoice) string { return i.Customer }},
		{"note", func(i invoice.Invoice) string { return i.Note }},
		{"amount", func(i invoice.Invoice) string { return amount(i.Cents) }},
		{"due", func(i invoice.Invoice) string { return i.Due.Format(time.DateOnly) }},
		{"paid", func(i invoice.Invoice) string { return strconv.FormatBool(i.Paid) }},
	}
}

// Write writes the invoices as CSV with a heading line.
func Write(w io.Writer, invoices []invoice.Invoice) error {
	columns := Columns()
	table := csv.NewWriter(w)
	heading := make([]string, len(columns))
	for n, column := range columns {
		heading[n] = column.Heading
	}
	if err := table.Write(heading); err != nil {
		return fmt.Errorf("write the heading: %w", err)
	}
	for _, i := range invoices {
		row := make([]string, len(columns))
		for n, column := range columns {
			row[n] = column.Value(i)
		}
		if err := table.Write(row); err != nil {
			return fmt.Errorf("write invoice %d: %w", i.ID, err)
		}
	}
	table.Flush()
	return table.Error()
}

// amount writes cents as a decimal number with a point.
func amount(cents int64) string {
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	return fmt.Sprintf("%s%d.%02d", sign, cents/100, cents%100)
}
