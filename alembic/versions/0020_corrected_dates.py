"""Evidence by which a person has put the dates of a claim right

Revision ID: 0020
Revises: 0019
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op


revision: str = '0020'
down_revision: str | None = '0019'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column('evidence', sa.Column('redates', sa.Boolean(), nullable=True))
    for claim in ('fact', 'relationship'):
        _note_corrected(claim)


def _note_corrected(claim: str) -> None:
    """Mark the last word by hand on a claim whose dates no evidence states; that says from now on which dates it gave."""
    same = "COALESCE(CAST(other.{0} AS TEXT), '') = COALESCE(CAST({1}.{0} AS TEXT), '')"
    dates = ' AND '.join(same.format(name, claim) for name in ('valid_from', 'valid_to'))
    names = ('valid_from', 'valid_from_precision', 'valid_to', 'valid_to_precision')
    taken = ', '.join(f'{n} = (SELECT {claim}.{n} FROM {claim} WHERE {claim}.id = evidence.{claim}_id)' for n in names)
    by_hand = "{0}.origin = 'stated' AND {0}.document_id IS NULL AND {0}.live AND {0}.valid_from IS NULL AND {0}.valid_to IS NULL"
    op.execute(
        f"UPDATE evidence SET redates = true, {taken} WHERE {claim}_id IS NOT NULL AND {by_hand.format('evidence')} "
        f"AND NOT EXISTS (SELECT 1 FROM evidence AS later WHERE later.{claim}_id = evidence.{claim}_id "
        f"AND {by_hand.format('later')} AND later.id > evidence.id) "
        f"AND EXISTS (SELECT 1 FROM {claim} WHERE {claim}.id = evidence.{claim}_id AND NOT EXISTS ("
        f"SELECT 1 FROM evidence AS other WHERE other.{claim}_id = {claim}.id AND other.live AND {dates}))"
    )


def downgrade() -> None:
    op.drop_column('evidence', 'redates')
