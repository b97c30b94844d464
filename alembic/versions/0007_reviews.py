"""Reviews: what waits for a person to decide it

Revision ID: 0007
Revises: 0006
"""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
import sqlmodel
from alembic import op
from uuid_utils.compat import uuid7


revision: str = '0007'
down_revision: str | None = '0006'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

INDEXES = {
    'review_in_volume': ['volume_id', 'precedence', 'id'],
    'review_of_fact': ['fact_id'],
    'review_of_relationship': ['relationship_id'],
    'review_of_left': ['left_id'],
    'review_of_right': ['right_id'],
    'review_of_conflict': ['conflict_id'],
}


def upgrade() -> None:
    text, uuid, at = sqlmodel.sql.sqltypes.AutoString, sa.Uuid, sqlmodel.sql.sqltypes.UTCDateTime
    op.create_table(
        'review',
        sa.Column('id', uuid(), nullable=False),
        sa.Column('volume_id', uuid(), nullable=False),
        sa.Column('kind', text(), nullable=False),
        sa.Column('question', text(), nullable=False),
        sa.Column('fact_id', uuid(), nullable=True),
        sa.Column('relationship_id', uuid(), nullable=True),
        sa.Column('left_id', uuid(), nullable=True),
        sa.Column('right_id', uuid(), nullable=True),
        sa.Column('conflict_id', uuid(), nullable=True),
        sa.Column('score', sa.Float(), nullable=True),
        sa.Column('reasons', sa.JSON(none_as_null=True), nullable=False),
        sa.Column('importance', sa.Float(), nullable=False),
        sa.Column('precedence', sa.Float(), nullable=False),
        sa.Column('due_since', at(), nullable=True),
        sa.Column('opened_at', at(), nullable=False),
        sa.Column('decision', text(), nullable=True),
        sa.Column('answer', text(), nullable=True),
        sa.Column('decided_by', text(), nullable=True),
        sa.Column('decided_at', at(), nullable=True),
        sa.CheckConstraint("kind IN ('LOW_CONFIDENCE', 'DUPLICATE', 'CONFLICT', 'STALE')", name='kind_known'),
        sa.CheckConstraint(
            "decision IN ('APPROVED', 'REJECTED', 'EDITED', 'MERGED', 'KEPT_APART', 'WINNER_CHOSEN', 'LAPSED')",
            name='decision_known',
        ),
        sa.CheckConstraint('importance BETWEEN 0 AND 1', name='importance_range'),
        sa.ForeignKeyConstraint(['fact_id'], ['fact.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['relationship_id'], ['relationship.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['left_id'], ['entity.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['right_id'], ['entity.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['volume_id'], ['volume.id'], ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id'),
        sa.UniqueConstraint('volume_id', 'question', name='review_question'),
    )
    with op.batch_alter_table('review', schema=None) as batch_op:
        for name, columns in INDEXES.items():
            batch_op.create_index(name, columns, unique=False)
    _ask_about_what_waits()


def _ask_about_what_waits() -> None:
    """Open a review of each claim that waits for one: a fact's importance is its own, a relationship's that of its ends."""
    uuid, at = sa.Uuid(), sqlmodel.sql.sqltypes.UTCDateTime()
    entity = sa.table('entity', sa.column('id', uuid), sa.column('importance'))
    source, target = entity.alias(), entity.alias()
    shared = ('id', uuid), ('volume_id', uuid), ('updated_at', at), ('status', sa.Text())
    fact = sa.table('fact', *(sa.column(*one) for one in shared), sa.column('importance'))
    edge = sa.table('relationship', *(sa.column(*one) for one in shared), sa.column('source_id', uuid), sa.column('target_id', uuid))
    greater = sa.case((source.c.importance > target.c.importance, source.c.importance), else_=target.c.importance)
    ends = edge.join(source, source.c.id == edge.c.source_id).join(target, target.c.id == edge.c.target_id)
    of_facts = sa.select(fact.c.id, fact.c.volume_id, fact.c.updated_at, fact.c.importance)
    of_edges = sa.select(edge.c.id, edge.c.volume_id, edge.c.updated_at, greater).select_from(ends)
    for column, prefix, claim, statement in (('fact_id', 'fct', fact, of_facts), ('relationship_id', 'rel', edge, of_edges)):
        rows: list[dict[str, Any]] = [
            {
                'id': uuid7(), 'volume_id': volume, 'kind': 'LOW_CONFIDENCE', 'question': f'LOW_CONFIDENCE:{prefix}:{id.hex}',
                column: id, 'reasons': [], 'importance': importance, 'precedence': -importance, 'opened_at': since,
            }
            for id, volume, since, importance in op.get_bind().execute(
                statement.where(claim.c.status == 'PENDING_REVIEW').order_by(claim.c.id)
            )
        ]
        types: dict[str, Any] = {
            'id': uuid, 'volume_id': uuid, 'kind': sa.Text(), 'question': sa.Text(), column: uuid, 'opened_at': at,
            'reasons': sa.JSON(none_as_null=True), 'importance': sa.Float(), 'precedence': sa.Float(),
        }
        if rows:
            op.bulk_insert(sa.table('review', *(sa.column(*one) for one in types.items())), rows)


def downgrade() -> None:
    op.drop_table('review')
