package catalog

import (
	"context"
	"database/sql"
	"fmt"
)

// Product is one row of the product table.
type Product struct {
	ID    int64
	Name  string
	Cents int64
}

// Store reads products.
type Store struct {
	db *sql.DB
}

// List returns the products of a shelf, newest first.
func (s *Store) List(ctx context.Context, shelf int64, limit int) ([]Product, error) {
	const query = "SELECT id, name, cents FROM product WHERE shelf = $1 ORDER BY created_at DESC LIMIT $2"
	rows, err := s.db.QueryContext(ctx, query, shelf, limit)
	if err != nil {
		return nil, fmt.Errorf("list products of shelf %d: %w", shelf, err)
	}
	defer rows.Close()
	return scan(rows)
}

func scan(rows *sql.Rows) ([]Product, error) {
	var products []Product
	for rows.Next() {
		var p Product
		if err := rows.Scan(&p.ID, &p.Name, &p.Cents); err != nil {
			return nil, fmt.Errorf("read a product: %w", err)
		}
		products = append(products, p)
	}
	return products, rows.Err()
}
