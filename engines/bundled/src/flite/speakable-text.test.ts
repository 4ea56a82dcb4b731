import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { toSpeakable } from './speakable-text.ts'

function lettersAndDigits(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9]/g, '')
}

describe('toSpeakable', () => {
  test.each([
    ['“It’s ‘fine’…”', `"It's 'fine'..."`],
    ['one—two – three', 'one -- two - three'],
    ['a\u00A0b\u202Fc\td\r\ne', 'a b c d e'],
    ['naïve café, Łódź, Ærø, Straße, smørrebrød', 'naive cafe, Lodz, AEro, Strasse, smorrebrod'],
    ['ﬁne ２０ ½ 3½ x² №5', 'fine 20 1/2 3 1/2 x2 No5'],
    ['£5.50, € 20 and $3', '5.50 pounds , 20 euros and $3'],
    ['20°C ≤ 5 × 4 − 1', '20 degrees C at most 5 times 4 minus 1'],
    ['co\u00ADop\u200Berate', 'cooperate'],
    ['日本語 hello 世界 😀!', 'hello !'],
    ['a\0b\u0007c\u007F', 'a b c'],
    ['one * * * two ===== three', 'one two three'],
    ['\uD800half a pair\uDC00', 'half a pair'],
    ['-voice slt', '-voice slt'],
    ['<speak>Hi</speak>', '<speak>Hi</speak>'],
    ['%', '%'],
    ['>\\< ]', '\\'],
    ['(1 + 1) = 2?', '(1 + 1) = 2?'],
    ['(+)=&!', '+ = &'],
  ])('%j is read as %j', (text, spoken) => {
    expect(toSpeakable(text)).toBe(spoken)
  })

  test.each([
    '',
    ' ',
    '...',
    '…',
    '?!',
    '--',
    '—',
    '“”',
    '😀👍🏽',
    '世界',
    'Привет',
    '\0',
    '*****',
    '- - -',
    '¿',
    '\u0301',
  ])('%j has nothing to speak', (text) => {
    expect(toSpeakable(text)).toBe('')
  })

  test('any text becomes printable ASCII with single spaces', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(toSpeakable(text)).toMatch(/^(?:[!-~]+(?: [!-~]+)*)?$/)
      }),
      { numRuns: 500 },
    )
  })

  test('letters and digits of English text stay in order', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
        expect(lettersAndDigits(toSpeakable(text))).toBe(lettersAndDigits(text))
      }),
    )
  })
})
