/** The value of a flag as people say it. */
export const valueInWords = (value: boolean | string): string =>
  value === true ? "on" : value === false ? "off" : value;
