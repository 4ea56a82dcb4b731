/** Signs without a compatible form in ASCII, and their reading: letters first, then words, then punctuation. */
const READINGS: Readonly<Record<string, string>> = {
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  ß: 'ss',
  ẞ: 'SS',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'Th',
  ł: 'l',
  Ł: 'L',
  ħ: 'h',
  Ħ: 'H',
  ı: 'i',
  '€': ' euros ',
  '£': ' pounds ',
  '¥': ' yen ',
  '¢': ' cents ',
  '°': ' degrees ',
  '×': ' times ',
  '÷': ' divided by ',
  '±': ' plus or minus ',
  '−': ' minus ',
  '≠': ' is not ',
  '≈': ' about ',
  '≤': ' at most ',
  '≥': ' at least ',
  '§': ' section ',
  '©': ' copyright ',
  '\u2044': '/',
  '\u2018': "'",
  '\u2019': "'",
  '\u201B': "'",
  '\u2032': "'",
  '\u02BC': "'",
  '\u201A': ',',
  '\u201C': '"',
  '\u201D': '"',
  '\u201E': '"',
  '\u201F': '"',
  '\u2033': '"',
  '«': '"',
  '»': '"',
  '\u2010': '-',
  '\u2011': '-',
  '\u2012': '-',
  '\u2013': '-',
  '\u2014': ' -- ',
  '\u2015': ' -- ',
  '、': ', ',
  '。': '. ',
}

/** A currency sign before an amount is spoken after it. Flite itself does so for dollars. */
const AMOUNT = /([€£¥])\s?(\d[\d.,]*\d|\d)/g
/** Marks on letters after decomposition, and characters without a width. They are removed without a space. */
const INVISIBLE = /[\p{M}\u00AD\u200B-\u200D\u2060\uFEFF]/gu
/** A fraction in one character, directly behind its whole number. */
const MIXED_FRACTION = /(\d)([\u00BC-\u00BE\u2150-\u215E])/g
/** Rows of a repeated sign, as in `*****` and `= = =`. Flite would read each sign by its name. */
const DECORATION = /([*=_~#+^|])(?:\s*\1){2,}/g
/** Letters and digits, and the signs that flite reads by their names. Without any of them it makes only silence. */
const SPOKEN = /[A-Za-z0-9]/
const SIGNS = /[#$%&*+/=@\\^_|~]/g

/**
 * Converts a text to flite's input: printable ASCII with single spaces. Letters lose their accents, and typographic
 * signs become plain ones. Characters without a sound in English (other scripts, emoji, control characters) become a
 * space.
 * @returns The empty string when nothing would be heard.
 */
export function toSpeakable(text: string): string {
  const plain = text
    .replaceAll(AMOUNT, '$2 $1')
    .replaceAll(MIXED_FRACTION, '$1 $2')
    .normalize('NFKD')
    .replaceAll(INVISIBLE, '')
    .replaceAll(/[^\u0020-\u007E]/gu, (sign) => READINGS[sign] ?? ' ')
    .replaceAll(DECORATION, ' ')
    .replaceAll(/ {2,}/g, ' ')
    .trim()
  // Among other marks flite may miss a sign, as in `>\< ]`: signs alone stand alone.
  return SPOKEN.test(plain) ? plain : (plain.match(SIGNS) ?? []).join(' ')
}
