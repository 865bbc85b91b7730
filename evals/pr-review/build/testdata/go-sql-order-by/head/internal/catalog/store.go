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

// Page asks for one page of a shelf's products.
type Page struct {
	Shelf int64
	// Sort names the column to sort by, as the request gave it.
	Sort  string
	Limit int
}

// List returns one page of products.
func (s *Store) List(ctx context.Context, page Page) ([]Product, error) {
	sort := page.Sort
	if sort == "" {
		sort = "created_at DESC"
	}
	query := fmt.Sprintf("SELECT id, name, cents FROM product WHERE shelf = $1 ORDER BY %s LIMIT $2", sort)
	rows, err := s.db.QueryContext(ctx, query, page.Shelf, page.Limit)
	if err != nil {
		return nil, fmt.Errorf("list products of shelf %d: %w", page.Shelf, err)
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
