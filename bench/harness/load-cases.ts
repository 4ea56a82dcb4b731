import { readdir } from 'node:fs/promises'
import type { BenchCase } from './bench-case.ts'

const FOLDER = new URL('../cases/', import.meta.url)

/**
 * Every case in `bench/cases/`, by file name.
 * @throws Error for a file without a `benchCase`
 */
export async function loadCases(): Promise<BenchCase[]> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.ts')).toSorted()
  return Promise.all(
    files.map(async (file) => {
      const { benchCase } = (await import(new URL(file, FOLDER).href)) as { benchCase?: BenchCase }
      if (benchCase === undefined) throw new Error(`bench/cases/${file} exports no benchCase`)
      return benchCase
    }),
  )
}
