import type { Subject } from './subject.ts'

/**
 * Creates a fixture once per subject, however many checks use it. A failure is stored too, so that each check
 * reports it.
 * @param make May take words that tell one thing from another.
 */
export function shared<T, Words extends readonly (string | undefined)[]>(
  make: (subject: Subject, ...words: Words) => Promise<T>,
): (subject: Subject, ...words: Words) => Promise<T> {
  const all = new WeakMap<Subject, Map<string, Promise<T>>>()
  return (subject, ...words) => {
    const made = all.get(subject) ?? new Map<string, Promise<T>>()
    all.set(subject, made)
    const key = JSON.stringify(words)
    const one = made.get(key) ?? make(subject, ...words)
    made.set(key, one)
    return one
  }
}
