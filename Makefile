# make demo needs Go alone. make test installs what it may (npm packages at pinned versions; bubblewrap where it is root).
.PHONY: help demo test mutants fuzz bench lint generate build

help: ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

demo: ## review one pull request twice against an emulated GitHub, in separate processes
	go run ./cmd/airlock demo

test: ## every test; what cannot run here fails and says what is missing
	./scripts/test

mutants: ## break one line of the source at a time; the test that is there for it must fail
	go run ./cmd/mutants

fuzz: ## every fuzz target for 20 seconds, from the corpus that make test plays
	./scripts/fuzz

bench: ## speed and memory, as ratios and counts
	./scripts/bench

lint: ## gofmt, go vet, staticcheck
	./scripts/lint

generate: ## write the generated documents and the lock anew
	go run ./cmd/airlock rules --markdown > docs/reasons.md
	go run ./cmd/airlock checks rules --markdown > docs/checks.md
	go run ./cmd/airlock lock > roles/lock.json

build: ## the four programs into bin/
	go build -trimpath -o bin/ ./cmd/airlock ./actions/decide ./actions/run ./actions/apply
