import { ensure, Violation } from '../outcomes.ts'
import { type ApiResponse, type Fields, isFields } from './response.ts'

/** Returns the lines of an event stream, without empty lines and comments. */
export function eventLines({ text }: ApiResponse): string[] {
  return text.split(/\r\n|\r|\n/).filter((line) => line !== '' && !line.startsWith(':'))
}

/**
 * Reads the events of a stream. Each frame is one `data:` line (interface: Events).
 * @throws Violation for any other line, and for data that is not a JSON object with a `type`
 */
export function readEvents(response: ApiResponse): Fields[] {
  return eventLines(response).map((line) => {
    ensure(line.startsWith('data:'), `${response.call} sent a line without data: ${line.slice(0, 100)}`)
    const event = parse(line.slice('data:'.length))
    if (isFields(event) && typeof event['type'] === 'string') return event
    throw new Violation(`${response.call} sent an event that is not a JSON object with a type: ${line.slice(0, 100)}`)
  })
}

/** Returns the events of one type. */
export function eventsOf(events: readonly Fields[], type: string): Fields[] {
  return events.filter((event) => event['type'] === type)
}

/** Returns the only event of a type. @throws Violation unless exactly one exists */
export function theEvent(events: readonly Fields[], type: string): Fields {
  const [event, second] = eventsOf(events, type)
  if (event === undefined) throw new Violation(`the stream has no ${type}`)
  ensure(second === undefined, `the stream has more than one ${type}`)
  return event
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
