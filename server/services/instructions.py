"""Instructions in disguise: text of a document that reads as if it told a language model what to do.

It is data like all else and is delivered; what is found here is only marked, so that rules that find too much do no harm.
Rules of words can be got round: the mark is a help to readers, never what keeps them safe.
"""

from __future__ import annotations

import re

from server.services.normalization import fold

__all__ = ["is_instruction"]

_RULES = "|".join(
    (
        r"\b(?:ignore|disregard|forget|override|bypass|neglect|(?:do not|don't|never|stop) (?:follow|obey|heed)(?:ing)?)\b.{0,40}?"
        r"\b(?:previous|prior|above|earlier|preceding|all|any|your|these|those|other|original|existing)\b.{0,30}?"
        r"\b(?:instruction|prompt|rule|direction|guideline|command|order|constraint|message)s?\b",
        r"\b(?:reveal|print|repeat|show|output|leak|disclose)\b.{0,20}?\b(?:your|the|its)\b.{0,20}?\b(?:system prompt|instructions|prompt)\b",
        r"\b(?:you are now|from now on,? (?:you|always|never|answer|respond)|you must now|pretend (?:to be|(?:that )?you are))\b",
        r"\b(?:new|updated|real|actual|important) instructions?\s*:",
        r"\b(?:do not|don't|never) (?:tell|inform|mention (?:this|it) to) the user\b",
        r"</?\s*(?:system|assistant|instructions?|facts?|context|prompt|developer|user|human|tool_result|function_results?)\b[^<>]{0,80}>",
        r"<\|[a-z_]{2,30}\|>|\[/?inst\]|<</?sys>>|#{2,}\s*(?:system|instructions?)\b",
        # German, French, Spanish and Portuguese, Italian, Dutch, Russian
        r"\b(?:ignorier|vergiss|missacht)\w*.{0,40}\b(?:anweisung|vorgabe|regel|befehl)\w*",
        r"\b(?:ignore|oublie|néglige)[zsr]?\b.{0,40}\b(?:instruction|consigne|règle|ordre)s?\b",
        r"\b(?:ignor|olvid|esqueç|esquec|desconsider)\w*.{0,40}\b(?:instruccion|instruç|orden|regla|regra|ordens)\w*",
        r"\b(?:ignora|dimentica)\w*.{0,40}\b(?:istruzion|regol|ordin)\w*",
        r"\b(?:negeer|vergeet)\w*.{0,40}\b(?:instructie|aanwijzing|opdracht|regel)\w*",
        r"\b(?:игнорир|забуд|не обращай)\w*.{0,40}(?:инструкц|указан|правил|команд)\w*",
        # Arabic, Chinese, Japanese, Korean, Hindi
        r"(?:تجاهل|انس).{0,40}(?:التعليمات|الأوامر|تعليمات)",
        r"(?:忽略|无视|無視|忘记|忘記).{0,20}(?:指令|指示|说明|說明|规则|規則|命令|提示)",
        r"(?:指示|命令|ルール|プロンプト).{0,10}(?:無視|忘れ)",
        r"(?:지시|명령|규칙|프롬프트).{0,10}(?:무시|잊)",
        r"(?:निर्देश|आदेश|नियम).{0,30}(?:अनदेखा|नज़रअंदाज़|भूल)",
    )
)
_FOUND = re.compile(_RULES)
_ROLE = re.compile(r"(?:^|[.!?\n>\]])[\s\"'*#>-]{0,8}(?:system|developer|system (?:message|prompt))\s*:", re.IGNORECASE)
_HIDDEN = re.compile("[\U000e0020-\U000e007f]{3,}|[\U000e0100-\U000e01ef]{3,}")
"""Words that no screen shows: letters as tags, bytes as variation selectors."""
_SIGNS = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]"
)


def is_instruction(text: str) -> bool:
    """Return whether a text reads like an instruction to a language model, in some languages, or hides words. Linear in the text."""
    plain = _SIGNS.sub("", text)
    return bool(_HIDDEN.search(text) or _ROLE.search(plain) or _FOUND.search(fold(plain)))
