package facts

// The GraphQL documents. Everything that has a time of edit or belongs to a thread is there only; authors are numeric ids,
// because a login differs between the two APIs and can be taken by another account.

const accountFields = ` { __typename login ... on User { databaseId } ... on Bot { databaseId } ... on Organization { databaseId } ... on Mannequin { databaseId } }`

const authorFields = `author` + accountFields

// editFields are when and by whom a text was edited last.
const editFields = `lastEditedAt editor` + accountFields + ` `

const pageFields = `totalCount pageInfo { hasNextPage endCursor }`

const commentFields = pageFields + ` nodes { fullDatabaseId body createdAt ` + editFields + authorFields + ` }`

const reviewFields = pageFields + ` nodes { id fullDatabaseId body state createdAt submittedAt commit { oid } ` + editFields + authorFields + ` }`

const threadCommentFields = pageFields + ` nodes { id fullDatabaseId body state createdAt originalCommit { oid } pullRequestReview { fullDatabaseId } ` + editFields + authorFields + ` }`

const threadFields = pageFields + ` nodes { id isResolved isOutdated path line startLine originalLine originalStartLine diffSide subjectType resolvedBy { databaseId login }
	comments(first: 100) { ` + threadCommentFields + ` } }`

// defaultBranchDocument asks which commit the configuration is read at.
const defaultBranchDocument = `query DefaultBranch($owner: String!, $name: String!) {
	repository(owner: $owner, name: $name, followRenames: false) { databaseId defaultBranchRef { name target { oid } } }
}`

// conversationDocument asks for the item and the first page of everything said about it, and for the pull requests that the
// head commit is in.
const conversationDocument = `query Conversation($owner: String!, $name: String!, $number: Int!, $head: GitObjectID!) {
	repository(owner: $owner, name: $name, followRenames: false) {
		databaseId isPrivate
		defaultBranchRef { name target { oid } }
		policy: object(expression: "HEAD:` + policyPath + `") { __typename ... on Blob { byteSize isBinary isTruncated text } }
		head: object(oid: $head) { ... on Commit { associatedPullRequests(first: 100) { ` + siblingFields + ` } } }
		pullRequest(number: $number) {
			id number title body state isDraft locked headRefOid baseRefName lastEditedAt ` + authorFields + `
			labels(first: 100) { ` + pageFields + ` nodes { name } }
			comments(first: 100) { ` + commentFields + ` }
			reviews(first: 100) { ` + reviewFields + ` }
			reviewThreads(first: 100) { ` + threadFields + ` }
		}
	}
}`

const siblingFields = pageFields + ` nodes { number state headRefOid }`

const siblingsPageDocument = `query SiblingsPage($owner: String!, $name: String!, $head: GitObjectID!, $after: String!) {
	repository(owner: $owner, name: $name, followRenames: false) {
		head: object(oid: $head) { ... on Commit { associatedPullRequests(first: 100, after: $after) { ` + siblingFields + ` } } }
	}
}`

const labelsPageDocument = `query LabelsPage($owner: String!, $name: String!, $number: Int!, $after: String!) {
	repository(owner: $owner, name: $name, followRenames: false) {
		pullRequest(number: $number) { labels(first: 100, after: $after) { ` + pageFields + ` nodes { name } } }
	}
}`

const commentsPageDocument = `query CommentsPage($owner: String!, $name: String!, $number: Int!, $after: String!) {
	repository(owner: $owner, name: $name, followRenames: false) {
		pullRequest(number: $number) { comments(first: 100, after: $after) { ` + commentFields + ` } }
	}
}`

const reviewsPageDocument = `query ReviewsPage($owner: String!, $name: String!, $number: Int!, $after: String!) {
	repository(owner: $owner, name: $name, followRenames: false) {
		pullRequest(number: $number) { reviews(first: 100, after: $after) { ` + reviewFields + ` } }
	}
}`

const threadsPageDocument = `query ThreadsPage($owner: String!, $name: String!, $number: Int!, $after: String!) {
	repository(owner: $owner, name: $name, followRenames: false) {
		pullRequest(number: $number) { reviewThreads(first: 100, after: $after) { ` + threadFields + ` } }
	}
}`

const threadCommentsPageDocument = `query ThreadCommentsPage($thread: ID!, $after: String!) {
	node(id: $thread) { __typename ... on PullRequestReviewThread { comments(first: 100, after: $after) { ` + threadCommentFields + ` } } }
}`
