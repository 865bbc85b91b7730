-- The employee who approved an order.
ALTER TABLE orders ADD COLUMN approved_by bigint REFERENCES employee (id);

-- Orders of before this change were all approved by the import account.
UPDATE orders SET approved_by = 1 WHERE approved_by IS NULL;

ALTER TABLE orders ALTER COLUMN approved_by SET NOT NULL;

CREATE INDEX orders_approved_by ON orders (approved_by);
