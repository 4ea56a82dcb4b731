import type { Random } from '@svc-audio/kit/engine-fixtures/random.ts'

const PEOPLE =
  'my sister,the old captain,our teacher,a young doctor,the manager,his neighbour,the singer,her cousin,a tall stranger,the driver,our guide,the painter'
const DEEDS =
  'opened,carried,forgot,described,repaired,sold,borrowed,noticed,wanted,painted,remembered,moved,brought,found,cleaned,watched'
const THINGS =
  'the heavy table,a green umbrella,the broken window,seven letters,the wooden boat,a cup of coffee,the last ticket,some fresh bread,the map of the city,a pair of gloves,the garden gate,an empty bottle,the blue jacket,a bag of apples'
const PLACES =
  'near the river,behind the station,in the kitchen,on the second floor,by the church,at the office,under the bridge,in a small village,outside the theatre,next to the school'
const TIMES =
  'this morning,before the meeting,after a long walk,last Wednesday,every evening,at half past nine,during the storm,two years ago,as soon as possible,without a word'
const OPENINGS = 'Well,I think,You know,Of course,To be honest,As far as I know,Yes,No,Maybe'

const pick = (random: Random, list: string): string => random.pick(list.split(','))

/** A plain sentence of six to twenty-five words: one and a half to seven seconds of speech. */
export function makeSentence(random: Random): string {
  const clause = (): string => `${pick(random, PEOPLE)} ${pick(random, DEEDS)} ${pick(random, THINGS)}`
  let text = clause()
  if (random.next() < 0.5) text += ` ${pick(random, PLACES)}`
  if (random.next() < 0.5) text += ` ${pick(random, TIMES)}`
  if (random.next() < 0.3) text = `${pick(random, OPENINGS)}, ${text}`
  if (random.next() < 0.35) text += `, ${random.pick(['and', 'but', 'because', 'while'])} ${clause()}`
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
