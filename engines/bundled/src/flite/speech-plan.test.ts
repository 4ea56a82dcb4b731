import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { planSpeech, type SpeechStep } from './speech-plan.ts'

function lettersAndDigits(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9]/g, '')
}

describe('planSpeech', () => {
  test('an engine converts sentences itself, and its language ends them', () => {
    const marked = (sentence: string): string => (sentence.includes('€') ? '' : `<${sentence.trim()}>`)
    const spoken = (language: string): SpeechStep[] => planSpeech('Τι ώρα είναι; Δύο.\n€', false, marked, language)
    const gap = { type: 'gap', seconds: 0.2 }
    expect(spoken('el')).toEqual([{ type: 'speech', text: '<Τι ώρα είναι;>' }, gap, { type: 'speech', text: '<Δύο.>' }])
    expect(spoken('en')).toEqual([{ type: 'speech', text: '<Τι ώρα είναι; Δύο.>' }])
  })

  test('sentences and paragraphs have gaps between them, and none at the ends', () => {
    expect(planSpeech(' One. Two.\n\nThree. ', false)).toEqual([
      { type: 'speech', text: 'One.' },
      { type: 'gap', seconds: 0.2 },
      { type: 'speech', text: 'Two.' },
      { type: 'gap', seconds: 0.5 },
      { type: 'speech', text: 'Three.' },
    ])
  })

  test('a pause replaces the gap beside it, and ends a sentence', () => {
    expect(planSpeech('One. [pause 0.5s] Two and [pause 1s][pause 2.0s] three.', true)).toEqual([
      { type: 'speech', text: 'One.' },
      { type: 'pause', seconds: 0.5 },
      { type: 'speech', text: 'Two and' },
      { type: 'pause', seconds: 1 },
      { type: 'pause', seconds: 2 },
      { type: 'speech', text: 'three.' },
    ])
  })

  test('markers are text unless pauses are enabled', () => {
    expect(planSpeech('One [pause 0.5s] two.', false)).toEqual([{ type: 'speech', text: 'One [pause 0.5s] two.' }])
  })

  test('unspeakable pieces are dropped and leave the longest gap around them', () => {
    expect(planSpeech('One.\n\n😀.\nTwo.', false)).toEqual([
      { type: 'speech', text: 'One.' },
      { type: 'gap', seconds: 0.5 },
      { type: 'speech', text: 'Two.' },
    ])
    // An ellipsis belongs to the sentence that it opens.
    expect(planSpeech('... One. 世界。', false)).toEqual([{ type: 'speech', text: '... One.' }])
  })

  test('pieces of a word follow each other without a gap', () => {
    expect(planSpeech('a'.repeat(401), false)).toEqual([
      { type: 'speech', text: 'a'.repeat(200) },
      { type: 'speech', text: 'a'.repeat(200) },
      { type: 'speech', text: 'a' },
    ])
  })

  test('pauses alone stay pauses, and a silent text has no step', () => {
    expect(planSpeech(' [pause 3s] ', true)).toEqual([{ type: 'pause', seconds: 3 }])
    expect(planSpeech('... 😀 \n\n —', true)).toEqual([])
  })

  test('every letter of an English text is spoken in order, in pieces that fit one utterance', () => {
    const part = fc.constantFrom(
      'Dr. Smith, ',
      'word ',
      'end. ',
      '[pause 1s]',
      '\n\n',
      '“quoted!” ',
      'x'.repeat(150),
      '12345 ',
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
        const steps = planSpeech(parts.join(''), true)
        const spoken = steps.flatMap((step) => (step.type === 'speech' ? [step.text] : []))
        expect(lettersAndDigits(spoken.join(''))).toBe(
          lettersAndDigits(parts.filter((value) => value !== '[pause 1s]').join('')),
        )
        expect(spoken.every((text) => text.length <= 200)).toBe(true)
        expect(steps.filter((step) => step.type === 'pause')).toHaveLength(
          parts.filter((value) => value === '[pause 1s]').length,
        )
      }),
    )
  })
})
