import { expect, test } from 'vitest'
import { VOICE_TABLE } from '../test/scripted-espeak.ts'
import { readVoiceList } from './voices.ts'

test('each row is a voice with its languages, ranks, gender and script', () => {
  const voices = readVoiceList(VOICE_TABLE, { idPrefix: 'x-' })
  expect(voices.map(({ id }) => id)).toEqual([
    'x-cmn',
    'x-de',
    'x-en',
    'x-en-gb-x-gbclan',
    'x-en-us',
    'x-ja',
    'x-ru',
    'x-ru-lv',
    'x-sr',
  ])
  expect(voices[0]).toMatchObject({
    name: 'eSpeak Chinese (Mandarin, latin as English)',
    language: 'zh',
    languages: ['cmn', 'zh'],
    gender: 'male',
    file: 'sit/cmn',
    scripts: ['Hani'],
  })
  expect(voices[5]).toMatchObject({ gender: 'female', scripts: ['Hira', 'Kana', 'Hani'] })
})

test('only voices of the named languages are kept: a primary tag has every region', () => {
  const ids = (...languages: string[]): string[] =>
    readVoiceList(VOICE_TABLE, { idPrefix: '', languages }).map(({ id }) => id)
  expect(ids('en')).toEqual(['en', 'en-gb-x-gbclan', 'en-us'])
  expect(ids('EN-us', 'zh')).toEqual(['cmn', 'en-us'])
})

test('a table without rows has no voices', () => {
  expect(readVoiceList('Pty Language\n', { idPrefix: '' })).toEqual([])
})
