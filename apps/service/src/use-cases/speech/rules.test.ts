import { expect, test } from 'vitest'
import { hasPauseMarkers, malformedPause, refuseSsml } from './rules.ts'

test.each([
  '<speak>Hello.</speak>',
  '<?xml version="1.0"?>\n<speak version="1.1" xmlns="http://www.w3.org/2001/10/synthesis">Hello.</speak>',
  'Wait <break time="500ms"/> here.',
  'Wait <BREAK/> here.',
  '<prosody rate="slow">Slow.</prosody>',
  'So <emphasis level="strong">much</emphasis>.',
  '<amazon:effect name="whispered">Psst.</amazon:effect>',
])('%j is refused as SSML, and the error names the tag', (text) => {
  expect(() => refuseSsml(text, 'input')).toThrow(/^input contains the SSML tag <[^>]+>, which is not supported/)
})

test.each(['3 < 4 > 2', 'if (a<break) {}', '<speakers> talk', 'I <3 you', 'A <b>bold</b> word', 'a < break > b'])(
  '%j is no SSML',
  (text) => {
    expect(() => refuseSsml(text, 'input')).not.toThrow()
  },
)

test.each([
  '[pause NaNs]',
  '[pause undefineds]',
  '[pause Infinitys]',
  '[pause -1s]',
  '[pause 1]',
  '[pause 1,5s]',
  '[pause .5s]',
  '[pause 500ms]',
  '[pause 1.5 s]',
  '[Pause 1.5s]',
  '[pause: 2s]',
])('%s is meant as a pause marker and is none', (marker) => {
  expect(malformedPause(`One, ${marker} two.`)).toBe(marker)
  expect(hasPauseMarkers(marker)).toBe(true)
})

test.each(['[pause 1s]', '[pause 0.5s] and [pause 10.0s]'])('%s is well-formed', (text) => {
  expect(malformedPause(text)).toBeUndefined()
  expect(hasPauseMarkers(text)).toBe(true)
})

test.each(['[pause]', '[pause for effect]', '[pauses 3]', '[a pause 3s]', 'pause 3s'])('%s is text', (text) => {
  expect(hasPauseMarkers(text)).toBe(false)
})
