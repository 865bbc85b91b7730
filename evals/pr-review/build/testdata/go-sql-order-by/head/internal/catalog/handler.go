package catalog

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// Handler serves GET /shelves/{shelf}/products.
type Handler struct {
	store *Store
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	shelf, err := strconv.ParseInt(r.PathValue("shelf"), 10, 64)
	if err != nil {
		http.Error(w, "shelf must be a number", http.StatusBadRequest)
		return
	}
	products, err := h.store.List(r.Context(), Page{Shelf: shelf, Sort: r.URL.Query().Get("sort"), Limit: 50})
	if err != nil {
		http.Error(w, "the products cannot be read now", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(products); err != nil {
		return
	}
}
