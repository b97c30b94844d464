"""What clients rely on: the names, arguments and types that the schema keeps, whatever is added to it.

Every input also names its volume, and those of creates and updates take keys and versions: tests/unit/test_sdl.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from graphql import DocumentNode, NonNullTypeNode, parse, print_ast

from schema import build_schema
from schema.limits import Limits

CONTRACT = """
interface Node { id: ID! }
type Query {
  node(id: ID!): Node  nodes(ids: [ID!]!): [Node]!  viewer: Viewer  volume(name: String! = "default"): Volume
  volumes(first: Int! = 20, after: String): VolumeConnection!  health: Health
}
input EntityBy @oneOf { id: ID  name: EntityNameInput }
input EntityNameInput { name: String!  type: String }
type Volume implements Node {
  id: ID!  name: String!  description: String  createdAt: DateTime!  entity(by: EntityBy!): Entity
  entities(filter: EntityFilter, orderBy: EntityOrder, first: Int! = 20, after: String): EntityConnection!
  facts(filter: FactFilter, orderBy: FactOrder, first: Int! = 20, after: String): FactConnection!
  relationships(filter: RelationshipFilter, first: Int! = 20, after: String): RelationshipConnection!
  memories(filter: MemoryFilter, orderBy: MemoryOrder, first: Int! = 20, after: String): MemoryConnection!
  documents(filter: DocumentFilter, first: Int! = 20, after: String): DocumentConnection!
  codeArtifacts(filter: CodeArtifactFilter, first: Int! = 20, after: String): CodeArtifactConnection!
  projects(filter: ProjectFilter, first: Int! = 20, after: String): ProjectConnection!
  ingestions(filter: IngestionFilter, first: Int! = 20, after: String): IngestionConnection!
  predicates(first: Int! = 100, after: String): PredicateConnection!
  reviewQueue(filter: ReviewFilter, first: Int! = 20, after: String): ReviewItemConnection!
  changes(filter: ChangeFilter, first: Int! = 50, after: String): ChangeConnection!  statistics: VolumeStatistics!
  explore(query: String!, context: String, depth: ExplorationDepth! = SHALLOW, first: Int! = 5, linksPerMemory: Int! = 5,
    projects: [ID!], tokenBudget: Int! = 8000): Exploration
  context(query: String!, tokenBudget: Int! = 2000, minConfidence: Float! = 0.7): Context
  answer(question: String!, history: [TurnInput!], mode: AnswerMode! = LOCAL, tokenBudget: Int! = 4000): Answer
}
type Entity implements Node {
  id: ID!  name: String!  type: String!  description: String  aliases: [String!]!  sense: String  properties: JSON!
  confidence: Float!  importance: Float!  version: Int!  createdAt: DateTime!  updatedAt: DateTime!  stale: Boolean!
  facts(filter: FactFilter, orderBy: FactOrder, first: Int! = 20, after: String): FactConnection!
  relationships(direction: Direction! = BOTH, types: [String!], first: Int! = 20, after: String):
    RelationshipConnection!
  neighbors(direction: Direction! = BOTH, types: [String!], first: Int! = 20, after: String): NeighborConnection!
  memories(includeObsolete: Boolean! = false, first: Int! = 20, after: String): MemoryConnection!
  documents(first: Int! = 20, after: String): DocumentConnection!
  projects(first: Int! = 20, after: String): ProjectConnection!  explanation: String!
}
interface Claim implements Node {
  id: ID!  text: String!  confidence: Float!  status: ClaimStatus!  validFrom: DateTime
  validFromPrecision: Precision  validTo: DateTime  validToPrecision: Precision  knownFrom: DateTime!
  evidence: [Evidence!]!  supersedes: [Claim!]!  supersededBy: Claim  conflicts: [Conflict!]!
  version: Int!  createdAt: DateTime!  updatedAt: DateTime!
}
type Fact implements Claim & Node {
  id: ID!  text: String!  content: String!  category: String  importance: Float!  confidence: Float!
  status: ClaimStatus!  subject: Entity!  predicate: String  value: String  valueType: ValueType!
  validFrom: DateTime  validFromPrecision: Precision  validTo: DateTime  validToPrecision: Precision
  knownFrom: DateTime!  evidence: [Evidence!]!  supersedes: [Claim!]!  supersededBy: Claim  conflicts: [Conflict!]!
  version: Int!  createdAt: DateTime!  updatedAt: DateTime!
}
type Relationship implements Claim & Node {
  id: ID!  text: String!  type: String!  source: Entity!  target: Entity!  description: String  confidence: Float!
  strength: Float!  bidirectional: Boolean!  properties: JSON!  status: ClaimStatus!  validFrom: DateTime
  validFromPrecision: Precision  validTo: DateTime  validToPrecision: Precision  knownFrom: DateTime!
  evidence: [Evidence!]!  supersedes: [Claim!]!  supersededBy: Claim  conflicts: [Conflict!]!
  version: Int!  createdAt: DateTime!  updatedAt: DateTime!
}
enum ClaimStatus { CURRENT  DISPUTED  PENDING_REVIEW  SUPERSEDED  RETRACTED  REJECTED }
enum Precision { YEAR  MONTH  DAY  INSTANT }
enum ValueType { NONE  TEXT  NUMBER  MONEY  DATE  BOOLEAN }
enum Direction { OUT  IN  BOTH }
type Evidence { document: Document  quote: String!  start: Int  end: Int  authority: Authority!  verified: Boolean! }
enum Authority { OFFICIAL  MARKETING  USER  THIRD_PARTY  UNKNOWN }
type Memory implements Node {
  id: ID!  title: String!  content: String!  context: String  keywords: [String!]!  tags: [String!]!
  importance: Int!  obsolete: Boolean!  obsoleteReason: String  supersededBy: Memory  supersedes: [Memory!]!
  links(first: Int! = 20, after: String): MemoryLinkConnection!
  entities(first: Int! = 20, after: String): EntityConnection!
  documents(first: Int! = 20, after: String): DocumentConnection!
  codeArtifacts(first: Int! = 20, after: String): CodeArtifactConnection!
  projects(first: Int! = 20, after: String): ProjectConnection!  provenance: JSON!  version: Int!
  createdAt: DateTime!  updatedAt: DateTime!
}
type Document implements Node {
  id: ID!  title: String!  content: String  mimeType: String!  uri: String  authority: Authority!
  contentHash: String!  revision: Int!  ingestion: Ingestion
  entities(first: Int! = 20, after: String): EntityConnection!
  facts(first: Int! = 20, after: String): FactConnection!
  memories(first: Int! = 20, after: String): MemoryConnection!
  chunks(first: Int! = 20, after: String): ChunkConnection!  createdAt: DateTime!
}
type Chunk implements Node { id: ID!  document: Document!  text: String!  start: Int!  end: Int! }
type CodeArtifact implements Node {
  id: ID!  title: String!  language: String!  code: String!  description: String  tags: [String!]!
  createdAt: DateTime!
}
type Project implements Node {
  id: ID!  name: String!  description: String  status: ProjectStatus!
  memories(first: Int! = 20, after: String): MemoryConnection!
  entities(first: Int! = 20, after: String): EntityConnection!
  documents(first: Int! = 20, after: String): DocumentConnection!
}
enum ProjectStatus { ACTIVE  ARCHIVED  COMPLETED }
type Ingestion implements Node {
  id: ID!  document: Document!  status: IngestionStatus!  error: String  chunksTotal: Int!  chunksDone: Int!
  entitiesFound: Int!  factsFound: Int!  relationshipsFound: Int!  rejected: [RejectedItem!]!  extractor: String!
  startedAt: DateTime  finishedAt: DateTime
}
type RejectedItem { kind: String!  item: JSON!  reason: String! }
enum IngestionStatus { PENDING  RUNNING  DONE  FAILED }
type Predicate {
  name: String!  cardinality: Cardinality!  inverse: String  symmetric: Boolean!  halfLifeDays: Float
  description: String
}
enum Cardinality { ONE  MANY }
type Change implements Node {
  id: ID!  cursor: String!  kind: ChangeKind!  node: Node  before: JSON  after: JSON  actor: String!  at: DateTime!
}
enum ChangeKind { CREATED  UPDATED  SUPERSEDED  RETRACTED  DELETED }
enum ExplorationDepth { SHALLOW  MEDIUM  DEEP }
type Exploration {
  memories: [ExploredMemory!]!  entities: [ExploredEntity!]!  relationships: [Relationship!]!
  documents: [Document!]!  codeArtifacts: [CodeArtifact!]!  projects: [Project!]!  totalNodes: Int!
  themes: [String!]!  suggestedQueries: [String!]!  tokens: Int!  truncated: Boolean!  omitted: [Omission!]!
}
type ExploredMemory { memory: Memory!  how: Reached!  hops: Int!  score: Float!  via: Node }
enum Reached { PRIMARY  LINKED  ENTITY_LINKED }
type ExploredEntity { entity: Entity!  relationshipCount: Int!  memoryCount: Int! }
type Omission { kind: String!  reason: String!  count: Int! }
type Context { text: String!  citations: [Citation!]!  tokens: Int!  truncated: Boolean!  omitted: [Omission!]! }
type Citation { document: Document  claim: Claim  memory: Memory  quote: String!  start: Int  end: Int }
type Answer { text: String!  citations: [Citation!]!  grounded: Boolean!  model: String!  context: Context! }
enum AnswerMode { LOCAL }
input TurnInput { role: TurnRole!  text: String! }
type VolumeStatistics {
  entities: Int!  facts: Int!  relationships: Int!  memories: Int!  documents: Int!  entitiesByType: JSON!
  relationshipsByType: JSON!
}
type Mutation {
  createVolume(input: CreateVolumeInput!): CreateVolumePayload
  updateVolume(input: UpdateVolumeInput!): UpdateVolumePayload
  deleteVolume(input: DeleteVolumeInput!): DeleteVolumePayload
  ingestDocument(input: IngestDocumentInput!): IngestDocumentPayload
  deleteDocument(input: DeleteDocumentInput!): DeleteDocumentPayload
  createEntity(input: CreateEntityInput!): CreateEntityPayload
  updateEntity(input: UpdateEntityInput!): UpdateEntityPayload
  deleteEntity(input: DeleteEntityInput!): DeleteEntityPayload
  createFact(input: CreateFactInput!): CreateFactPayload  updateFact(input: UpdateFactInput!): UpdateFactPayload
  retractFact(input: RetractFactInput!): RetractFactPayload
  createRelationship(input: CreateRelationshipInput!): CreateRelationshipPayload
  updateRelationship(input: UpdateRelationshipInput!): UpdateRelationshipPayload
  retractRelationship(input: RetractRelationshipInput!): RetractRelationshipPayload
  importGraph(input: ImportGraphInput!): ImportGraphPayload
  createMemory(input: CreateMemoryInput!): CreateMemoryPayload
  updateMemory(input: UpdateMemoryInput!): UpdateMemoryPayload
  supersedeMemory(input: SupersedeMemoryInput!): SupersedeMemoryPayload
  restoreMemory(input: RestoreMemoryInput!): RestoreMemoryPayload
  deleteMemory(input: DeleteMemoryInput!): DeleteMemoryPayload
  linkMemories(input: LinkMemoriesInput!): LinkMemoriesPayload
  unlinkMemories(input: UnlinkMemoriesInput!): UnlinkMemoriesPayload
  attachToMemory(input: AttachToMemoryInput!): AttachToMemoryPayload
  detachFromMemory(input: DetachFromMemoryInput!): DetachFromMemoryPayload
  createProject(input: CreateProjectInput!): CreateProjectPayload
  updateProject(input: UpdateProjectInput!): UpdateProjectPayload
  deleteProject(input: DeleteProjectInput!): DeleteProjectPayload
  createCodeArtifact(input: CreateCodeArtifactInput!): CreateCodeArtifactPayload
  updateCodeArtifact(input: UpdateCodeArtifactInput!): UpdateCodeArtifactPayload
  deleteCodeArtifact(input: DeleteCodeArtifactInput!): DeleteCodeArtifactPayload
  setPredicate(input: SetPredicateInput!): SetPredicatePayload
  resolveReview(input: ResolveReviewInput!): ResolveReviewPayload
}
input SetPredicateInput {
  name: String!  cardinality: Cardinality!  inverse: String  symmetric: Boolean! = false  halfLifeDays: Float
  description: String  dryRun: Boolean! = false
}
type SetPredicatePayload { predicate: Predicate!  superseded: [Claim!]!  conflicts: [Conflict!]! }
input IngestDocumentInput {
  title: String!  text: String  bytes: String  upload: ID  mimeType: String! = "text/plain"  uri: String
  authority: Authority! = UNKNOWN  projects: [ID!]  wait: Boolean! = false
}
type IngestDocumentPayload { document: Document!  ingestion: Ingestion!  created: Boolean! }
input CreateEntityInput {
  name: String!  type: String!  description: String  aliases: [String!]  sense: String  properties: JSON
  importance: Float  confidence: Float  projects: [ID!]
}
type CreateEntityPayload { entity: Entity!  created: Boolean! }
input CreateFactInput {
  subject: ID!  content: String!  category: String  predicate: String  value: String  valueType: ValueType
  validFrom: DateTime  validTo: DateTime  importance: Float  confidence: Float  authority: Authority! = USER
  document: ID  quote: String
}
type CreateFactPayload { fact: Fact!  superseded: [Claim!]!  conflicts: [Conflict!]!  duplicateOf: Fact }
type Conflict implements Node {
  id: ID!  subject: Entity!  predicate: String!  claims: [Claim!]!  status: ConflictStatus!  reason: String
  winner: Claim
}
enum ConflictStatus { OPEN  AUTO_RESOLVED  RESOLVED }
interface ReviewItem implements Node { id: ID!  openedAt: DateTime!  importance: Float!  decision: String }
type LowConfidenceReview implements ReviewItem & Node {
  id: ID!  openedAt: DateTime!  importance: Float!  decision: String  claim: Claim!
}
type DuplicateReview implements ReviewItem & Node {
  id: ID!  openedAt: DateTime!  importance: Float!  decision: String  left: Entity!  right: Entity!
  score: Float!  reasons: [String!]!
}
type ConflictReview implements ReviewItem & Node {
  id: ID!  openedAt: DateTime!  importance: Float!  decision: String  conflict: Conflict!
}
type StaleReview implements ReviewItem & Node {
  id: ID!  openedAt: DateTime!  importance: Float!  decision: String  claim: Claim!  dueSince: DateTime!
}
input CreateRelationshipInput {
  source: EntityRef!  target: EntityRef!  type: String!  description: String  properties: JSON
  bidirectional: Boolean! = false  strength: Float  confidence: Float  authority: Authority! = USER
  validFrom: DateTime  validTo: DateTime  document: ID  quote: String
}
input EntityRef @oneOf { id: ID  name: EntityNameInput }
type CreateRelationshipPayload {
  relationship: Relationship!  superseded: [Claim!]!  conflicts: [Conflict!]!  duplicateOf: Relationship
}
input CreateMemoryInput {
  title: String!  content: String!  context: String  keywords: [String!]  tags: [String!]  importance: Int! = 5
  entities: [ID!]  documents: [ID!]  codeArtifacts: [ID!]  projects: [ID!]  provenance: JSON
}
type CreateMemoryPayload { memory: Memory!  links: [MemoryLink!]!  similar: [SimilarMemory!]! }
type MemoryLink { memory: Memory!  other: Memory!  type: String!  similarity: Float  automatic: Boolean! }
type SimilarMemory { memory: Memory!  similarity: Float! }
input RetractFactInput { id: ID!  reason: String }
input DeleteDocumentInput { id: ID! }
type DeleteDocumentPayload { deletedId: ID!  claimsRemoved: Int!  claimsKept: Int!  entitiesRemoved: Int! }
input EntityFilter { text: String  types: [String!]  projects: [ID!]  minConfidence: Float  stale: Boolean }
input EntityOrder { field: EntityOrderField! = NAME  direction: OrderDirection! = ASC }
enum EntityOrderField { NAME  CREATED_AT  UPDATED_AT  IMPORTANCE }
enum OrderDirection { ASC  DESC }
input FactFilter { predicates: [String!]  categories: [String!]  statuses: [ClaimStatus!]  minConfidence: Float }
"""


def definitions(document: DocumentNode) -> dict[str, Any]:
    return {definition.name.value: definition for definition in document.definitions}  # type: ignore[attr-defined]


PROMISED = definitions(parse(CONTRACT))
KEPT = definitions(parse(build_schema(Limits()).as_str()))


def members(definition: Any) -> dict[str, Any]:
    """Return the fields of a type or the values of an enumeration."""
    found = getattr(definition, "values", None) or getattr(definition, "fields", None) or ()
    return {member.name.value: member for member in found}


def shape(member: Any) -> tuple[str, str]:
    """Return the type and the default value of a field or argument. A default of null is none."""
    given = getattr(member, "default_value", None)
    default = "null" if given is None else print_ast(given)
    return print_ast(member.type), default


def differences(promised: Any, kept: Any) -> Iterator[str]:
    """Yield what a definition does not keep of what it promised."""
    if kept.kind != promised.kind:
        yield f"{promised.name.value} is another kind of type"
    interfaces = {i.name.value for i in getattr(kept, "interfaces", None) or ()}
    for interface in getattr(promised, "interfaces", None) or ():
        if interface.name.value not in interfaces:
            yield f"{promised.name.value} does not implement {interface.name.value}"
    if {print_ast(d) for d in promised.directives or ()} != {print_ast(d) for d in kept.directives or ()}:
        yield f"{promised.name.value} has other directives"
    found = members(kept)
    for name, member in members(promised).items():
        if name not in found:
            yield f"{promised.name.value}.{name} is missing"
        elif hasattr(member, "type"):
            yield from _differences_of_members(f"{promised.name.value}.{name}", member, found[name])


def _differences_of_members(where: str, promised: Any, kept: Any) -> Iterator[str]:
    if shape(promised) != shape(kept):
        yield f"{where}: {' = '.join(shape(promised))} became {' = '.join(shape(kept))}"
    found = {argument.name.value: argument for argument in getattr(kept, "arguments", None) or ()}
    for argument in getattr(promised, "arguments", None) or ():
        name = argument.name.value
        if name not in found:
            yield f"{where}({name}:) is missing"
        else:
            yield from _differences_of_members(f"{where}({name}:)", argument, found[name])


def required(member: Any) -> bool:
    return isinstance(member.type, NonNullTypeNode) and member.default_value is None


@pytest.mark.parametrize("name", PROMISED)
def test_a_type_keeps_what_it_promised(name: str) -> None:
    assert name in KEPT
    assert list(differences(PROMISED[name], KEPT[name])) == []


@pytest.mark.parametrize("name", [n for n, d in PROMISED.items() if d.kind == "input_object_type_definition"])
def test_an_input_asks_for_nothing_beyond_what_it_promised(name: str) -> None:
    assert {n for n, m in members(KEPT[name]).items() if required(m)} <= members(PROMISED[name]).keys()


@pytest.mark.parametrize("name", [n for n, d in PROMISED.items() if d.kind == "object_type_definition"])
def test_a_field_asks_for_no_argument_beyond_what_it_promised(name: str) -> None:
    found = members(KEPT[name])
    for field, promised in members(PROMISED[name]).items():
        asked = {a.name.value for a in found[field].arguments or () if required(a)}
        assert asked <= {a.name.value for a in promised.arguments or ()}, field


def test_a_broken_promise_is_seen() -> None:
    promised = definitions(
        parse(
            "type T implements I & J { a: Int! b(x: Int = 1, y: ID): ID c: ID } enum E { A B } input N { n: Int = 1 }"
        )
    )
    kept = definitions(
        parse("type T implements I { a: Int b(x: Int = 2): ID d: ID } enum E { A C } input N @oneOf { n: Int = null }")
    )
    assert [d for name in promised for d in differences(promised[name], kept[name])] == [
        "T does not implement J",
        "T.a: Int! = null became Int = null",
        "T.b(x:): Int = 1 became Int = 2",
        "T.b(y:) is missing",
        "T.c is missing",
        "E.B is missing",
        "N has other directives",
        "N.n: Int = 1 became Int = null",
    ]
    assert next(differences(promised["E"], kept["N"])) == "E is another kind of type"
