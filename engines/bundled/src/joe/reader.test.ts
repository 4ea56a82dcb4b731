import { readFile } from 'node:fs/promises'
import { joeFiles, SYMBOLS } from '@svc-audio/joe-en'
import { beforeAll, describe, expect, test } from 'vitest'
import { createEnglishRules } from '../flite/program.ts'
import { toSpeakable } from '../flite/speakable-text.ts'
import { type Dictionary, openDictionary } from './dictionary.ts'
import { toNumbers, toPhonemes } from './phonemes.ts'
import { Reader } from './reader.ts'
import { writeOut } from './written.ts'

let dictionary: Dictionary
let reader: Reader

beforeAll(async () => {
  dictionary = openDictionary(await readFile(joeFiles.words))
  reader = new Reader(dictionary, await createEnglishRules())
})

describe('the dictionary', () => {
  test('it has its first word, its last and those between', async () => {
    const lines = (await readFile(joeFiles.words, 'utf8')).trimEnd().split('\n')
    for (const at of [0, 1, 7, 1000, 66_666, lines.length - 2, lines.length - 1]) {
      const [word = '', phones] = lines[at]?.split('\t') ?? []
      expect(dictionary(word)).toBe(phones)
    }
  })

  test.each(['', 'zzzzz', '!', 'hellohello'])('it does not have %j', (word) => {
    expect(dictionary(word)).toBeUndefined()
  })
})

describe('phonemes', () => {
  test.each([
    ['HH AH0 L OW1', 'həlˈoʊ'],
    ['AH0 B AW1 T', 'ɐbˈaʊt'],
    ['W AO1 T ER0', 'wˈɔːɾɚ'],
    ['W AO1 N T IH0 D', 'wˈɔːntᵻd'],
    ['N IY1 R', 'nˈɪɹ'],
    ['K AH1 M P AH0 N IY2', 'kˈʌmpəni'],
    ['HH EH1 D F OW2 N Z', 'hˈɛdfoʊnz'],
    ['AY1 B IY1 EH1 M', 'ˌaɪbˌiːˈɛm'],
    ['G ER0 AA1 ZH', 'ɡɚɹˈɑːʒ'],
    ['T OW1 T AH0 L', 'tˈoʊɾəl'],
    ['S K EH1 L AH0 T AH0 N', 'skˈɛlətən'],
    ['HH ER1 IY0', 'hˈɜːɹi'],
  ])('%s is %s', (phones, phonemes) => {
    expect(toPhonemes(phones)).toBe(phonemes)
  })

  test('every pronunciation of the dictionary has symbols that the voice knows', async () => {
    const lines = (await readFile(joeFiles.words, 'utf8')).trimEnd().split('\n')
    const used = new Set(lines.flatMap((line) => Array.from(toPhonemes(line.slice(line.indexOf('\t') + 1)))))
    expect(Array.from(used).filter((symbol) => !SYMBOLS.includes(symbol))).toEqual([])
  })

  test('numbers have a gap between symbols', () => {
    expect(toNumbers('a𝐇b')).toEqual([1, 0, SYMBOLS.indexOf('a'), 0, SYMBOLS.indexOf('b'), 0, 2])
  })
})

describe('what people write', () => {
  test.each([
    ['on 2026-11-29', 'on November 29, 2026'],
    ['on 12/25/1988', 'on December 25, 1988'],
    ['on 25/12/1988', 'on December 25, 1988'],
    ['1999-13-40', '1999-13-40'],
    ["the 1990s and the '80s", 'the 19 nineties and the  eighties'],
    ['at 10:00 a.m. or 5:00', "at 10 AM or 5 o'clock"],
    ['250 MB, 10 km/h, 5kg', '250 megabytes, 10 kilometers per hour, 5 kilograms'],
    ['$5m', '$5 million'],
    ['No. 5 and #7', 'number 5 and number 7'],
    ['e.g. this, i.e. that, etc.', 'for example this, that is that, et cetera.'],
    ['See Fig. 4 in the sun.', 'See figure 4 in the sun.'],
    ['AT&T', 'A. T. and T.'],
    ['bob@example.com.', 'bob at example dot com.'],
    ['https://x.org/a', 'x dot org slash a'],
    ['v2.0.1', '2 point 0 point 1'],
  ])('%j is read as %j', (text, read) => {
    expect(writeOut(text)).toBe(read)
  })
})

describe('reading', () => {
  test.each([
    ['Hello there.', 'həlˈoʊ ðˈɛɹ.'],
    ['The end of the apple?', 'ðɪ ˈɛnd ʌvðɪ ˈæpəl?'],
    ['Wait, "this" is -- good!', 'wˈeɪt, ðɪs ˈɪz, ɡˈʊd!'],
    ['On May 3, 2020', 'ˌɔn mˈeɪ θˈɜːd, twˈɛnti twˈɛnti.'],
    ['Dr. Smith paid $3.', 'dˈɑːktɚ smˈɪθ pˈeɪd θɹˈiː dˈɑːlɚz.'],
    ["Don't.", 'dˈoʊnt.'],
    ['NASA and the FBI', 'nˈæsə ænd ðɪ ˌɛfbˌiːˈaɪ.'],
    ['the US', 'ðə jˌuː ˈɛs.'],
    ['my number is 5', 'maɪ nˈʌmbɚɹ ɪz fˈaɪv.'],
    ['to record a record', 'tə ɹᵻkˈɔːɹd ɐ ɹˈɛkɚd.'],
    ['it closes on Tuesday', 'ɪt klˈoʊzᵻz ˌɔn tˈuːzdeɪ.'],
    ['21-17 and €18.50', 'twˈɛnti wˈʌn tə sˈɛvəntˈiːn ænd eɪtˈiːn jˈuːɹoʊz fˈɪfti.'],
    ['a plan A', 'ɐ plˈæn ˈeɪ.'],
    ['webhooks', 'wˈɛbhʊks.'],
    ['%', 'pɚsˈɛnt.'],
  ])('%j', (text, phonemes) => {
    expect(reader.read(toSpeakable(text))).toBe(phonemes)
  })

  test('a word that no dictionary has gets a stress and its letters are heard', () => {
    expect(reader.read('Xylophonix')).toMatch(/^z.*ˈ.*ks\.$/)
  })

  test.each(['"', '... ...', '()', "'", '- -', '$', '/', '#', '1'.repeat(50), 'x'.repeat(200), 'a.b.c', '@ @'])(
    '%j ends in a known way',
    (text) => {
      expect(typeof reader.read(toSpeakable(text))).toBe('string')
    },
  )
})
