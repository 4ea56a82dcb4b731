export {
  describeFault,
  findOptionFault,
  type OptionFault,
  type OptionRule,
  type OptionRules,
  type ValueFault,
} from './check-options.ts'
export { kind } from './kind.ts'
export { commandLineFault, nearestName, nearHint, unknownName } from './names.ts'
export {
  abortSignal,
  callback,
  clientWith,
  fields,
  flag,
  integer,
  list,
  methods,
  milliseconds,
  object,
  oneOf,
  optional,
  positive,
  secret,
  text,
  texts,
  timerSeconds,
} from './rules.ts'
