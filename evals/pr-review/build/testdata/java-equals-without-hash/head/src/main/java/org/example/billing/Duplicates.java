package org.example.billing;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Finds invoices that were entered twice: same customer and same amount. */
public final class Duplicates {
    private record Key(long customer, Money amount) {}

    public List<Invoice> find(List<Invoice> invoices) {
        Set<Key> seen = new HashSet<>();
        List<Invoice> twice = new ArrayList<>();
        for (Invoice invoice : invoices) {
            if (!seen.add(new Key(invoice.customer(), invoice.amount()))) {
                twice.add(invoice);
            }
        }
        return twice;
    }
}
