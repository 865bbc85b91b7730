package export

import (
	"strings"
	"testing"
	"time"

	"example.org/tally/internal/invoice"
)

func TestWrite(t *testing.T) {
	due := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name     string
		invoices []invoice.Invoice
		want     string
	}{
		{"none", nil, "number,customer,note,amount,due,paid\n"},
		{
			"one",
			[]invoice.Invoice{{ID: 7, Customer: "Harbour Cafe", Note: "two tables", Cents: 12050, Due: due}},
			"number,customer,note,amount,due,paid\n7,Harbour Cafe,two tables,120.50,2026-11-30,false\n",
		},
		{
			"a comma is quoted",
			[]invoice.Invoice{{ID: 8, Customer: "Wood, Iron and Sons", Cents: 5, Due: due, Paid: true}},
			"number,customer,note,amount,due,paid\n8,\"Wood, Iron and Sons\",,0.05,2026-11-30,true\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out strings.Builder
			if err := Write(&out, test.invoices); err != nil {
				t.Fatal(err)
			}
			if out.String() != test.want {
				t.Errorf("got %q, want %q", out.String(), test.want)
			}
		})
	}
}

func TestAmount(t *testing.T) {
	for cents, want := range map[int64]string{0: "0.00", 5: "0.05", -250: "-2.50", 123456: "1234.56"} {
		if got := amount(cents); got != want {
			t.Errorf("amount(%d) is %q, want %q", cents, got, want)
		}
	}
}
