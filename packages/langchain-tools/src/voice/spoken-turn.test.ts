import { describe, expect, test } from 'vitest'
import { SpeakingPace, SpokenTurn } from './spoken-turn.ts'

/** A turn whose first sentence of 24 characters took 2 s, and whose next one has begun. */
function secondSentence(text: string, madeSeconds: number): SpokenTurn {
  const turn = new SpokenTurn(new SpeakingPace())
  turn.begin('One sentence was spoken.')
  turn.made(2)
  turn.complete()
  turn.begin(text)
  turn.made(madeSeconds)
  return turn
}

describe('the part of an answer that was heard', () => {
  test('of a sentence that is still synthesized follows the pace of the sentences before it', () => {
    // 12 characters per second: this text of 47 takes 3.9 s, and 2 s of it were played.
    const turn = secondSentence('aaaa bbbb cccc dddd eeee ffff gggg hhhh iiii jjj', 3)
    expect(turn.heard(4)).toBe('One sentence was spoken. aaaa bbbb cccc dddd eeee')
  })

  test('of a first sentence that is still synthesized follows a usual pace at the speed asked for', () => {
    const text = 'aaaa bbbb cccc dddd eeee ffff'
    for (const [speed, heard] of [
      [1, 'aaaa bbbb cccc'],
      [0.5, 'aaaa'],
    ] as const) {
      const turn = new SpokenTurn(new SpeakingPace(speed))
      turn.begin(text)
      turn.made(1)
      expect(turn.heard(1)).toBe(heard)
    }
  })

  test('is never the whole of a sentence that is not complete', () => {
    const turn = secondSentence('It takes much longer.', 30)
    expect(turn.heard(32)).toBe('One sentence was spoken. It takes much')
  })

  test('is never empty after a second of audio', () => {
    const turn = new SpokenTurn(new SpeakingPace())
    turn.begin('Incomprehensibilities')
    turn.made(1)
    expect(turn.heard(0.5)).toBe('')
    expect(turn.heard(1)).toBe('Incomprehensibilities')
  })

  test('is cut between words in a script without spaces', () => {
    const turn = new SpokenTurn(new SpeakingPace())
    turn.begin('今日はとても良い天気です。')
    turn.made(4)
    turn.complete()
    const heard = turn.heard(2)
    expect('今日はとても良い天気です。'.startsWith(heard)).toBe(true)
    expect(heard.length).toBeGreaterThan(2)
    expect(heard.length).toBeLessThan(12)
  })

  test('before the first audio is nothing', () => {
    expect(new SpokenTurn(new SpeakingPace()).heard(3)).toBe('')
  })
})
