package emulator

import "maps"

// eventFaults are acts of people that happen just before a call is served.
func eventFaults() []faultKind {
	event := func(name, doc, reports string, do func(*Server, *Pull) error) faultKind {
		return faultKind{Kind: Kind{name, doc, reports}, before: func(applied *appliedFault, c *call) (answer, bool) {
			w := &c.server.world
			pull := w.pull(applied.fault.Number)
			if applied.fault.Number == 0 && len(w.pulls) > 0 {
				pull = w.pulls[0]
			}
			if pull == nil {
				return problem(500, "The emulator has no such pull request for the event"), true
			}
			if err := do(c.server, pull); err != nil {
				return problem(500, "The emulator could not do the event: "+err.Error()), true
			}
			return answer{}, false
		}}
	}
	state := func(to string) func(*Server, *Pull) error {
		return func(server *Server, pull *Pull) error {
			return server.setState(StateAct{Number: pull.Number, ActorID: server.world.defaults.ActorID, To: to})
		}
	}
	push := func(force bool) func(*Server, *Pull) error {
		return func(server *Server, pull *Pull) error {
			tree := maps.Clone(server.world.commits[pull.Head.Commit].Tree)
			tree["pushed-between-calls.txt"] = File{Content: []byte("pushed\n"), Mode: modeFile}
			_, err := server.push(PushAct{Number: pull.Number, Tree: tree, Force: force})
			return err
		}
	}
	return []faultKind{
		event("event-push", "The author pushes one more file just before the call.", "W23, C1", push(false)),
		event("event-force-push", "The author force-pushes one more file just before the call.", "W28, C2", push(true)),
		event("event-hold", "The hold label is set just before the call.", "W58", func(server *Server, pull *Pull) error {
			return server.label(LabelAct{Number: pull.Number, ActorID: server.world.defaults.ActorID, Label: server.world.defaults.HoldLabel})
		}),
		event("event-close", "The pull request is closed just before the call.", "W35", state("closed")),
		event("event-lock", "The conversation is locked just before the call.", "G3", state("locked")),
		event("event-draft", "The pull request is made a draft just before the call.", "W35", state("draft")),
		event("event-retarget", "The pull request is moved to another branch just before the call; it is an error when there is none.", "W7 of the platform notes",
			func(server *Server, pull *Pull) error {
				for _, name := range sortedKeys(server.world.repository.Branches) {
					if name != pull.Base.Ref && name != pull.Head.Ref {
						return server.retarget(RetargetAct{Number: pull.Number, ActorID: server.world.defaults.ActorID, Ref: name})
					}
				}
				return server.retarget(RetargetAct{Number: pull.Number, ActorID: server.world.defaults.ActorID, Ref: "a second branch"})
			}),
	}
}
