import { expectTypeOf, test } from 'vitest'
import type { Narration } from '../dist/index.js'

type Plain = typeof import('../README.md?narrate')
type WithOptions = typeof import('../README.md?voice_id=slt&narrate')

test('imports with the marker at the end are typed', () => {
  expectTypeOf<Plain['default']>().toEqualTypeOf<Narration>()
  expectTypeOf<WithOptions['default']>().toEqualTypeOf<Narration>()
})

test('every field is a named export too', () => {
  expectTypeOf<Omit<Plain, 'default' | 'text'>>().toEqualTypeOf<Narration>()
  expectTypeOf<Plain['text']>().toEqualTypeOf<string>()
  expectTypeOf<Omit<WithOptions, 'default' | 'text'>>().toEqualTypeOf<Narration>()
  expectTypeOf<WithOptions['text']>().toEqualTypeOf<string>()
})
