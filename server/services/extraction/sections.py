"""Sections: what a heading says of the lines below it: jobs, studies, skills, people, plans, or what is not there."""

from __future__ import annotations

import re
from enum import StrEnum

from server.services.extraction import vocabulary


class Section(StrEnum):
    """What stands under a heading."""

    JOBS = "jobs"
    STUDIES = "studies"
    SKILLS = "skills"
    LANGUAGES = "languages"
    CERTIFICATES = "certificates"
    ABOUT = "about"
    WORKS = "works"
    PEOPLE = "people"
    PLANS = "plans"
    ABSENT = "absent"
    OTHER = "other"


_CORES = {
    Section.JOBS: "experience|experiences|employment|career|positions|appointments|jobs|work history|career history|work",
    Section.STUDIES: "education|studies|academic background|schooling|degrees|qualifications",
    Section.SKILLS: "skills|skill|skillset|technologies|competencies|competences|expertise|tech stack|stack|toolbox|proficiencies|tools",
    Section.LANGUAGES: "languages",
    Section.CERTIFICATES: "certifications|certification|certificates|licenses|licences|accreditations",
    Section.ABOUT: "summary|professional summary|executive summary|career summary|professional background|"
    "career objective|profile|about|about me|objective|bio|biography",
    Section.WORKS: "projects|publications|awards|honors|honours|interests|hobbies|references|volunteering|talks|contact|achievements|courses|patents",
    Section.PEOPLE: "attendees|participants|present|attending|invitees",
    Section.PLANS: "action items|actions|action points|next steps|todo|todos|to do|to-do|tasks|follow ups|follow-ups|agenda|open questions|questions|"
    "roadmap|ideas|backlog|wishlist|future work|planned|upcoming|coming soon|unreleased|goals|proposal|proposals|plans|parking lot",
    Section.ABSENT: "not included|what's not included|excluded|exclusions|limitations|non-goals|non goals|out of scope|removed|deprecated|"
    "known issues|fixed|bug fixes|fixes|bugs|cons|disadvantages|drawbacks|not supported|unsupported|alternatives considered|rejected alternatives|"
    "absent|apologies|regrets|security fixes|breaking changes",
}
_BESIDE = vocabulary.wordset(
    "work professional relevant selected recent other additional technical core key personal my and & the of working academic"
    " previous past current employment related industry teaching research hard soft programming computer it digital main training"
    " background history summary open side of for meeting"
)
_BY_PHRASE = {phrase: section for section, phrases in _CORES.items() for phrase in phrases.split("|")}
_RESUME = frozenset({Section.JOBS, Section.STUDIES, Section.SKILLS, Section.LANGUAGES, Section.CERTIFICATES})


def section_of(text: str) -> Section | None:
    """Return what a heading announces; None for one that announces nothing of its own."""
    words = re.sub(r"[^\w\s'&-]|\d|_", " ", text).lower().split()
    if not words or len(words) > 5:
        return None
    if found := _BY_PHRASE.get(" ".join(words)):
        return found
    rest = [word for word in words if word not in _BESIDE] or [word for word in words if word in _BY_PHRASE]
    cores = [_BY_PHRASE.get(word) for word in rest]
    if not rest or None in cores or not set(cores) <= _RESUME | {Section.WORKS, Section.ABOUT}:
        return None
    return cores[0]


def is_of_resume(section: Section | None) -> bool:
    """Tell whether the section is one that a résumé has, and hardly another page."""
    return section in {Section.JOBS, Section.STUDIES}
