package org.example.billing;

/** An amount of money in the smallest unit of its currency. */
public final class Money {
    private final long minor;
    private final String currency;

    public Money(long minor, String currency) {
        this.minor = minor;
        this.currency = currency;
    }

    public long minor() {
        return minor;
    }

    public String currency() {
        return currency;
    }

    public Money plus(Money other) {
        if (!currency.equals(other.currency)) {
            throw new IllegalArgumentException("cannot add " + other.currency + " to " + currency);
        }
        return new Money(Math.addExact(minor, other.minor), currency);
    }

    @Override
    public boolean equals(Object object) {
        if (this == object) {
            return true;
        }
        if (!(object instanceof Money)) {
            return false;
        }
        Money other = (Money) object;
        return minor == other.minor && currency.equals(other.currency);
    }
}
