import { expect, test } from 'vitest'
import { readMarkdown } from './read-markdown.ts'

test.each([
  [
    'an admonition',
    '!!! note\n    Mind the *gap*.\n\n    - One\n    - Two\n\nAfter.',
    'Mind the gap.\n\nOne.\n\nTwo.\n\nAfter.',
  ],
  [
    'an admonition with a title',
    'Before.\n\n!!! warning inline end "Take *care*"\n\n    Text',
    'Before.\n\nTake care\n\nText',
  ],
  ['a folded admonition', '??? tip\n    A\n\n???+ tip "B"\n    C', 'A\n\nB\n\nC'],
  ['an admonition in an admonition', '!!! a\n    A\n\n    !!! b "B"\n        C\n\n    D', 'A\n\nB\n\nC\n\nD'],
  ['an admonition behind a paragraph', 'A\n!!! note\n    B', 'A\n\nB'],
  ['an admonition in a list', '- A\n\n    !!! note\n        B\n\n- C', 'A.\n\nB\n\nC.'],
  ['an admonition indented by tabs', '!!! note\n\tA\n\n\tB', 'A\n\nB'],
  ['code in an admonition', '!!! example\n    ```js\n    no()\n    ```\n\n    Yes', 'Yes'],
  ['tabs', '=== "C"\n    In C.\n\n=== "Rust"\n\n    In *Rust*.\n\nAfter', 'C\n\nIn C.\n\nRust\n\nIn Rust.\n\nAfter'],
  ['snippets and included files', 'A\n\n--8<-- "b.md"\n\n{! c.md !}\n\n!!!include(d.md)!!!\n\nE', 'A\n\nE'],
  [
    'exclamations and marks of a heading',
    '!!! wow that is great\n\nTitle\n===\n\n=== "quoted" is text',
    '!!! wow that is great\n\nTitle.\n\n=== "quoted" is text',
  ],
])('%s of MkDocs is read', (_, source, text) => {
  expect(readMarkdown(source).text).toBe(text)
})

test.each([
  ['{#if user}\n\nHello {@html name} there.\n\n{:else if x}\n\nB\n\n{/if}', 'Hello there.\n\nB'],
  ['{#each list as one}\n- item\n{/each}', 'item.'],
])('the blocks of Svelte in Markdown are left out: %s', (source, text) => {
  expect(readMarkdown(source).text).toBe(text)
})
