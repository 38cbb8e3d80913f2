// labels for jars
function label(kind, year) {
  return `${kind} honey, ${year}`;
}

const sheet = (labels) => {
  return labels.join("\n");
};

class Printer {
  print(text) {
    console.log(text);
  }
}
