"""TensorFlow: its graphs, where a model lies, and the strategies of `tf.distribute`."""
