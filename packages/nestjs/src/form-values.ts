import { type ExecutionContext, type Type, ValidationPipe } from '@nestjs/common'
import { type FieldsCheck, optionRules, type OptionRule } from '@svc-audio/upload'

/** A class with decorators of class-validator, or a Standard Schema, such as one of zod. */
export type FieldsOption<Values> = Type<Values> | Exclude<FieldsCheck<Values>, (...args: never[]) => unknown>

/** The rule of {@link FieldsOption}. */
export const fieldsOption: OptionRule = optionRules.optional((value) =>
  optionRules.fieldsCheck(value) === undefined
    ? undefined
    : 'must be a class with decorators of class-validator, or a Standard Schema such as `z.object(…)`',
)

/**
 * The check of form fields by a class or a schema. A class is checked by Nest's own `ValidationPipe`, which needs
 * class-validator and class-transformer: its errors are those of `@Body()`. Fields without a decorator are dropped.
 */
export function fieldsCheckOf<Values>(option: FieldsOption<Values>): FieldsCheck<Values> {
  if (isSchema(option)) return option
  const pipe = new ValidationPipe({ transform: true, whitelist: true })
  return async (values) => {
    const checked: unknown = await pipe.transform({ ...values }, { type: 'body', metatype: option })
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the pipe makes an instance of the class
    return checked as Values
  }
}

/** Schemas of arktype are functions too, as classes are. */
function isSchema<Values>(option: FieldsOption<Values>): option is Exclude<FieldsOption<Values>, Type<Values>> {
  return typeof option !== 'function' || '~standard' in option
}

/** Puts the values of a form where `@Body()` reads them. */
export function setBody(context: ExecutionContext, values: unknown): void {
  context.switchToHttp().getRequest<{ body: unknown }>().body = values
}
