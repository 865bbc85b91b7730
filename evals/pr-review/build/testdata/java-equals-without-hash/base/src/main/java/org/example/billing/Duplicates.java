package org.example.billing;

import java.util.ArrayList;
import java.util.List;

/** Finds invoices that were entered twice. */
public final class Duplicates {
    public List<Invoice> find(List<Invoice> invoices) {
        List<Invoice> twice = new ArrayList<>();
        for (int i = 0; i < invoices.size(); i++) {
            for (int j = 0; j < i; j++) {
                if (invoices.get(i).number().equals(invoices.get(j).number())) {
                    twice.add(invoices.get(i));
                    break;
                }
            }
        }
        return twice;
    }
}
