"""Predicates have half-lives, and each has one inverse

Revision ID: 0008
Revises: 0007
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op


revision: str = '0008'
down_revision: str | None = '0007'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

LISTED = {
    'ACQUIRED': ('ACQUIRED_BY', None, 'Who bought an organization.'),
    'ACQUIRED_BY': ('ACQUIRED', None, 'Who bought an organization.'),
    'AGE': (None, 365.0, 'How old someone or something is.'),
    'BASED_IN': (None, 1825.0, 'Where someone or something is based.'),
    'BORDERS': ('BORDERS', None, 'What lies next to what.'),
    'BORN_IN': (None, None, 'Where or when someone was born.'),
    'BORN_ON': (None, None, 'When someone was born.'),
    'CAPITAL_OF': ('HAS_CAPITAL', None, 'Of what a city is the capital.'),
    'CHILD_OF': ('PARENT_OF', None, 'Whose parent someone is.'),
    'COMPATIBLE_WITH': ('COMPATIBLE_WITH', 730.0, 'What works together.'),
    'COMPETES_WITH': ('COMPETES_WITH', 730.0, 'Who competes with whom.'),
    'CONFLICTS_WITH': ('CONFLICTS_WITH', 730.0, 'What does not work together.'),
    'COSTS': (None, 180.0, 'The price of something.'),
    'CREATED': ('CREATED_BY', None, 'Who made something.'),
    'CREATED_BY': ('CREATED', None, 'Who made something.'),
    'DEVELOPED': ('DEVELOPED_BY', None, 'Who developed something.'),
    'DEVELOPED_BY': ('DEVELOPED', None, 'Who developed something.'),
    'DIED_IN': (None, None, 'Where or when someone died.'),
    'DIED_ON': (None, None, 'When someone died.'),
    'DIFFERS_FROM': ('DIFFERS_FROM', None, 'What is told apart from what.'),
    'DIRECTED': ('DIRECTED_BY', None, 'Who directed something.'),
    'DIRECTED_BY': ('DIRECTED', None, 'Who directed something.'),
    'EMPLOYEE_COUNT': (None, 365.0, 'How many people work at an organization.'),
    'EMPLOYS': ('WORKS_AT', 730.0, 'Who works at an organization.'),
    'FOUNDED': ('FOUNDED_BY', None, 'Who founded something.'),
    'FOUNDED_BY': ('FOUNDED', None, 'Who founded something.'),
    'FOUNDED_IN': (None, None, 'When or where something was founded.'),
    'FOUNDED_ON': (None, None, 'When something was founded.'),
    'FRIEND_OF': ('FRIEND_OF', 1825.0, 'Who is a friend of whom.'),
    'HAS_CAPITAL': ('CAPITAL_OF', None, 'The capital of a country or region.'),
    'HAS_FEATURE': (None, 730.0, 'What a product can do.'),
    'HAS_MEMBER': ('MEMBER_OF', 730.0, 'Who belongs to a group.'),
    'HAS_PART': ('PART_OF', None, 'What something is a part of.'),
    'HAS_ROLE': (None, 730.0, 'What someone is at work.'),
    'HAS_SKILL': (None, None, 'What someone knows how to do.'),
    'HAS_VERSION': (None, 90.0, 'A version of something.'),
    'HEADQUARTERED_IN': (None, 1825.0, 'Where an organization has its headquarters.'),
    'INCLUDED_IN': ('INCLUDES', 730.0, 'What something comes with.'),
    'INCLUDES': ('INCLUDED_IN', 730.0, 'What something comes with.'),
    'IS_A': (None, None, 'What kind of thing something is.'),
    'LATEST_VERSION': (None, 90.0, 'The newest version of something.'),
    'LAUNCHED_IN': (None, None, 'When or where something was launched.'),
    'LEADS': ('LED_BY', 730.0, 'Who leads something.'),
    'LED_BY': ('LEADS', 730.0, 'Who leads something.'),
    'LIVES_IN': (None, 730.0, 'Where someone lives.'),
    'LOCATED_IN': (None, None, 'Where something is.'),
    'MAINTAINED_BY': ('MAINTAINS', 730.0, 'Who maintains something.'),
    'MAINTAINS': ('MAINTAINED_BY', 730.0, 'Who maintains something.'),
    'MANAGED_BY': ('MANAGES', 730.0, 'Who manages something.'),
    'MANAGES': ('MANAGED_BY', 730.0, 'Who manages something.'),
    'MARRIED_TO': ('MARRIED_TO', 1825.0, 'Who is married to whom.'),
    'MEMBER_OF': ('HAS_MEMBER', 730.0, 'Who belongs to a group.'),
    'OWNED_BY': ('OWNS', 1825.0, 'Whose something is.'),
    'OWNS': ('OWNED_BY', 1825.0, 'What someone has.'),
    'PARENT_OF': ('CHILD_OF', None, 'Whose parent someone is.'),
    'PARTNERS_WITH': ('PARTNERS_WITH', 730.0, 'Who works together with whom.'),
    'PART_OF': ('HAS_PART', None, 'What something is a part of.'),
    'POPULATION': (None, 730.0, 'How many people live in a place.'),
    'PRICED_AT': (None, 180.0, 'The price of something.'),
    'PROVIDED_BY': ('PROVIDES', 730.0, 'Who offers something.'),
    'PROVIDES': ('PROVIDED_BY', 730.0, 'Who offers something.'),
    'PUBLISHED_IN': (None, None, 'When or where something was published.'),
    'PUBLISHED_ON': (None, None, 'When something was published.'),
    'RELATED_TO': ('RELATED_TO', None, 'What has to do with what.'),
    'RELEASED_IN': (None, None, 'When something was released.'),
    'RELEASED_ON': (None, None, 'When something was released.'),
    'REPORTS_TO': ('SUPERVISES', 365.0, 'To whom someone reports.'),
    'REQUIRED_BY': ('REQUIRES', 730.0, 'What something cannot do without.'),
    'REQUIRES': ('REQUIRED_BY', 730.0, 'What something cannot do without.'),
    'RESIDES_IN': (None, 730.0, 'Where someone lives.'),
    'REVENUE': (None, 365.0, 'What an organization takes in.'),
    'SIBLING_OF': ('SIBLING_OF', None, 'Who has the same parents.'),
    'STATUS': (None, 180.0, 'How something stands.'),
    'STUDIED_AT': (None, None, 'Where someone has studied.'),
    'STUDIES_AT': (None, 365.0, 'Where someone studies.'),
    'SUPERVISES': ('REPORTS_TO', 365.0, 'Who reports to someone.'),
    'SUPPORTED_BY': ('SUPPORTS', 730.0, 'Who or what supports something.'),
    'SUPPORTS': ('SUPPORTED_BY', 730.0, 'What something can be used with, or who is backed.'),
    'USED_BY': ('USES', 730.0, 'Who or what works with something.'),
    'USES': ('USED_BY', 730.0, 'What something or someone works with.'),
    'VALUATION': (None, 365.0, 'What an organization is held to be worth.'),
    'WORKED_AT': (None, None, 'At which organization someone has worked.'),
    'WORKS_AT': ('EMPLOYS', 730.0, 'At which organization someone works.'),
    'WORKS_FOR': (None, 730.0, 'For whom someone works.'),
    'WRITTEN_BY': ('WROTE', None, 'Who wrote something.'),
    'WRITTEN_IN': (None, None, 'In which language something is written.'),
    'WROTE': ('WRITTEN_BY', None, 'Who wrote something.'),
}


def upgrade() -> None:
    with op.batch_alter_table('predicate', schema=None) as batch_op:
        batch_op.add_column(sa.Column('half_life_days', sa.Float(), nullable=True))
    # Nobody could set a predicate before, so that all stand as they were listed; how many claims compete stays as it is.
    known = sa.table(
        'predicate',
        *(sa.column(name) for name in ('name', 'inverse', 'half_life_days', 'description')),
        sa.column('symmetric', sa.Boolean()),
    )
    for name, (inverse, half_life_days, description) in LISTED.items():
        values = {'inverse': inverse, 'half_life_days': half_life_days, 'symmetric': inverse == name}
        op.execute(sa.update(known).where(known.c.name == name).values(description=description, **values))
    with op.batch_alter_table('predicate', schema=None) as batch_op:
        batch_op.create_unique_constraint('predicate_inverse', ['volume_id', 'inverse'])
        batch_op.create_check_constraint('half_life', 'half_life_days > 0')
        batch_op.create_check_constraint('own_inverse', '"symmetric" = (inverse IS NOT NULL AND inverse = name)')


def downgrade() -> None:
    with op.batch_alter_table('predicate', schema=None) as batch_op:
        batch_op.drop_constraint('own_inverse', type_='check')
        batch_op.drop_constraint('half_life', type_='check')
        batch_op.drop_constraint('predicate_inverse', type_='unique')
        batch_op.drop_column('half_life_days')
