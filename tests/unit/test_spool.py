"""The spool of answers that are not yet committed."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

from server.store.spool import Spool


def test_an_answer_is_found_by_any_process_on_the_folder_until_it_is_dropped(tmp_path: Path) -> None:
    one, other = Spool(tmp_path / "spool"), Spool(tmp_path / "spool")
    job, another = uuid4(), uuid4()
    one.keep(job, '{"a": "東京 \ud800"}')
    one.keep(another, "{}")
    assert other.find(job) == '{"a": "東京 \ud800"}'
    assert sorted(other.jobs()) == sorted([job, another])
    other.drop([job, job])
    assert one.find(job) is None
    assert one.jobs() == [another]


def test_a_later_answer_takes_the_place_of_an_earlier_one(tmp_path: Path) -> None:
    spool, job = Spool(tmp_path), uuid4()
    spool.keep(job, "first")
    spool.keep(job, "second")
    assert (spool.find(job), spool.jobs()) == ("second", [job])


def test_an_answer_that_was_cut_off_while_it_was_written_is_no_answer(tmp_path: Path) -> None:
    spool, job = Spool(tmp_path), uuid4()
    (tmp_path / f"{job}.123.part").write_text('{"enti')
    assert (spool.find(job), spool.jobs()) == (None, [])
    spool.tidy(older_than=0)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_spool_has_no_folder_and_no_jobs(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "nothing")
    spool.tidy(older_than=0)
    assert (spool.jobs(), spool.find(uuid4()), (tmp_path / "nothing").exists()) == ([], None, False)
