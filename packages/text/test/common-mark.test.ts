import { expect, test } from 'vitest'
import { commonMarkScore } from './score/common-mark.ts'

test('all examples of CommonMark are read as the reference renderer displays them, with four deviations', () => {
  const { asTheyStand, afterDeviations, wrong } = commonMarkScore()
  expect(wrong).toEqual([])
  expect(afterDeviations).toEqual({ right: 652, of: 652 })
  expect(asTheyStand.right).toBe(648)
})
