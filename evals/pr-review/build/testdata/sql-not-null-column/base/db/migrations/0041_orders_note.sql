-- Free text that support may add to an order.
ALTER TABLE orders ADD COLUMN note text;
